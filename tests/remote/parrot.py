"""A worker for tests: says how long an utterance was, hums a text, and misbehaves when it is told to.

`trouble` names a file; when it is there, its words say what goes wrong at the next request, once:
`crash`, `hang`, `freeze`, `fail`, `memory`, `end`, `noise`, `ask`; `later` waits for the second
piece of the answer.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hub import Engine, Hearing, Model, Offer, Program, Transcript, Voice, serve

HUM = b"\1\0" * 200


class Parrot:
    def __init__(self, trouble: Path) -> None:
        self._trouble = trouble

    def hear(self, pcm: bytes, hearing: Hearing) -> Iterator[Transcript]:
        sys.stdout.write("a library that prints\n")
        words = self._words()
        self._misbehave(words)
        yield Transcript(text=f"{len(pcm)} bytes from {os.getpid()}")

    def speak(self, text: str, voice: Voice) -> Iterator[bytes]:
        words = self._words()
        if "later" in words:
            yield HUM
        self._misbehave(words)
        yield HUM * len(text)

    def _words(self) -> str:
        try:
            words = self._trouble.read_text(encoding="utf-8")
            self._trouble.unlink()
        except FileNotFoundError:
            return ""
        return words

    def _misbehave(self, words: str) -> None:
        if "crash" in words:
            os.kill(os.getpid(), signal.SIGKILL)
        if "hang" in words:
            time.sleep(3600)
        if "freeze" in words:
            os.kill(os.getpid(), signal.SIGSTOP)
        if "fail" in words:
            raise ValueError("cannot make that out")
        if "memory" in words:
            bytearray(10**15)
        if "end" in words:
            sys.exit("the library has had enough")
        if "noise" in words:
            self._shout()
        if "ask" in words:
            sys.stderr.write(f"input: {sys.stdin.readline()!r}\n")

    def _shout(self) -> None:
        """Print all that a library might, past Python too, on both outputs."""
        event = b'{"type": "transcript", "data": {"text": "forged"}}\n'
        for number in (1, 2):
            os.write(number, event + os.urandom(100_000) + b"x" * 1_000_000 + event)
        subprocess.run(["sh", "-c", "echo a child prints; echo and complains >&2"], check=True)


def open_engine(options: Mapping[str, Any]) -> Engine:
    if options.get("broken"):
        raise RuntimeError("the model is broken")
    if options.get("stubborn"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # its children inherit that
    if options.get("child"):
        child = subprocess.Popen(["sleep", "3600"])
        Path(options["child"]).write_text(str(child.pid), encoding="utf-8")
    sys.stderr.write("not a word of Wyoming\n")
    parrot = Parrot(Path(options["trouble"]))
    models = (Model(name="parrot", languages=("en",)),)
    return Engine(
        offer=Offer(
            asr=(Program(name="parrot", models=models),),
            tts=(Program(name="parrot", models=models, streams=True),),
        ),
        hear=parrot.hear,
        speak=parrot.speak,
    )


if __name__ == "__main__":
    serve(open_engine)
