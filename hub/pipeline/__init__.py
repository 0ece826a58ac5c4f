"""Turns: from a microphone, a recording or a text to a deed, an answer, a voice."""
