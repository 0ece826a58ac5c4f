"""Rooms: satellites that hear, answer and show at every moment who listens to whom."""
