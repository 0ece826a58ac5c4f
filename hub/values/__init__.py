"""The nouns of the house, as frozen values; nothing here does anything."""
