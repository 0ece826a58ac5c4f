"""The one door: whatever is to be done comes through here and nowhere else."""
