"""Models that are downloaded: what there is, where it lies, how it gets there and stays whole."""
