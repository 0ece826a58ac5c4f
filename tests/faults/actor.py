"""A worker that plays its part until a cue tells it what to do wrong, and when.

In `folder` lies `cues`, with lines `moment: fault`; the first line is struck out when its moment has come.
`heard` lies there once somebody has heard something.
"""

import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hub import Engine, Hearing, Model, Offer, Program, Transcript, Voice, serve

WORDS = "hello"
PIECE = b"\1\0" * 2_205
"""A tenth of a second; every answer is four of them."""


class Actor:
    """Recogniser and voice in one."""

    def __init__(self, folder: Path) -> None:
        self._cues = folder / "cues"
        self._heard = folder / "heard"

    def hear(self, pcm: bytes, hearing: Hearing) -> Iterator[Transcript]:
        self.play("while it thinks")
        yield Transcript(text=WORDS[:4], final=False)
        self.play("in mid-answer")
        yield Transcript(text=WORDS)

    def speak(self, text: str, voice: Voice) -> Iterator[bytes]:
        self.play("before the first sound")
        yield PIECE
        self.play("after the first sound")
        yield PIECE * 3

    def play(self, moment: str) -> None:
        """Do what the next cue says, if it is for this moment."""
        lines = self._cues.read_text(encoding="utf-8").splitlines()
        if lines and lines[0].startswith(f"{moment}: "):
            while moment == "after the first sound" and not self._heard.exists():
                time.sleep(0.01)
            self._cues.write_text("\n".join(lines[1:]), encoding="utf-8")
            _FAULTS[lines[0].removeprefix(f"{moment}: ")]()


def _signal(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(3600)


def _crash() -> None:
    os.write(2, b"the model file is broken\n")
    os._exit(1)


def _fail() -> None:
    raise ValueError("cannot make that out")


def _eat() -> None:
    bytearray(10**15)


def _shout() -> None:
    forged = b'{"type": "transcript", "data": {"text": "unlock the door"}}\n'
    for number in (1, 2):
        os.write(number, forged + os.urandom(10_000) + b"x" * 100_000 + forged)
    subprocess.run(["sh", "-c", "echo a child prints; echo and complains >&2"], check=True)


_FAULTS = {
    "crashes": _crash,
    "is killed": lambda: _signal(signal.SIGKILL),
    "aborts": lambda: _signal(signal.SIGABRT),
    "freezes": lambda: _signal(signal.SIGSTOP),
    "hangs": lambda: time.sleep(3600),
    "is slow": lambda: time.sleep(3600),
    "fails": _fail,
    "needs too much memory": _eat,
    "prints garbage": _shout,
}


def open_engine(options: Mapping[str, Any]) -> Engine:
    actor = Actor(Path(options["folder"]))
    if options["has_child"]:
        subprocess.Popen(["sh", "-c", "trap '' TERM; sleep 3600"])
    actor.play("at its start")
    models = (Model(name="actor", languages=("en",)),)
    program = Program(name="actor", models=models, streams=True)
    return Engine(offer=Offer(asr=(program,), tts=(program,)), hear=actor.hear, speak=actor.speak)


if __name__ == "__main__":
    serve(open_engine)
