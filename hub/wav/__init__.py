"""WAV files of every kind, read and written as streams.

`speech(source)` gives what a recogniser takes (16 kHz, 16 bit, mono) from a file, bytes or an
asynchronous body of any length, with a few kilobytes in memory; it raises `AudioError` with what
to do. `WavWriter` writes chunks while they still come; `wav` makes a whole file of them.
"""

from hub.wav.header import header
from hub.wav.reader import Source, WavReader, speech
from hub.wav.writer import WavWriter, wav

__all__ = ["Source", "WavReader", "WavWriter", "header", "speech", "wav"]
