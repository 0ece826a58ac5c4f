"""The command line: one file a verb; against a running hub a verb imports next to nothing."""
