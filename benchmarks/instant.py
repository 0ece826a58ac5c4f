"""A worker whose engine answers at once, so that what a request takes is the way to it and back."""

from collections.abc import Iterator, Mapping
from typing import Any

from hub import AudioFormat, Engine, Hearing, Model, Offer, Program, Transcript, Voice, serve

SECOND = bytes(44_100)
"""A second of sound, as Piper would give it."""


def hear(pcm: bytes, hearing: Hearing) -> Iterator[Transcript]:
    """Yield the final words."""
    yield Transcript(text="Turn on the kitchen lights.")


def speak(text: str, voice: Voice) -> Iterator[bytes]:
    """Yield two seconds of silence."""
    yield SECOND * 2


def open_engine(options: Mapping[str, Any]) -> Engine:
    """Load nothing."""
    program = Program(name="instant", models=(Model(name="instant", languages=("en",)),), streams=True)
    plain = Program(name="instant", models=program.models)
    return Engine(
        offer=Offer(asr=(plain,), tts=(program,)), hear=hear, speak=speak, format=AudioFormat(rate=22_050)
    )


if __name__ == "__main__":
    serve(open_engine)
