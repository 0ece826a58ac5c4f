"""Audio in another format: how samples are written, and streams of another rate, width or shape."""

from hub.resample.converter import PIECE, Converter, converted

__all__ = ["PIECE", "Converter", "converted"]
