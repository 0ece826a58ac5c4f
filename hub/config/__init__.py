"""The configuration: YAML with a place for every value, schemas from dataclasses, one root."""
