"""Understanding: what a sentence means in this house, and in words why it means nothing."""
