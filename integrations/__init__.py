"""What a house can be connected to: a folder each, found by its name (docs/writing-an-integration.md)."""
