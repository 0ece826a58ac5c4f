"""Stages served by another process over Wyoming, and what such a process needs to serve them."""
