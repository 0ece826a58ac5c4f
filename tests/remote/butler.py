"""A server of every kind on the reference library alone: `butler.py --uri URI [--kinds asr,tts]`."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
import warnings
from functools import partial
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it imports audioop, which 3.13 has no more
    from wyoming.asr import Transcribe, Transcript
    from wyoming.audio import AudioChunk, AudioStart, AudioStop
    from wyoming.event import Event
    from wyoming.handle import Handled, HandledChunk, HandledStart, HandledStop, NotHandled
    from wyoming.info import (
        AsrModel,
        AsrProgram,
        Attribution,
        Describe,
        HandleModel,
        HandleProgram,
        Info,
        IntentModel,
        IntentProgram,
        TtsProgram,
        TtsVoice,
        WakeModel,
        WakeProgram,
    )
    from wyoming.intent import Entity, Intent, IntentsStart, IntentsStop, NotRecognized, Recognize
    from wyoming.server import AsyncEventHandler, AsyncServer
    from wyoming.tts import Synthesize
    from wyoming.vad import VoiceStarted, VoiceStopped
    from wyoming.wake import Detect, Detection, NotDetected

ABOUT: dict[str, Any] = {
    "attribution": Attribution(name="Jeeves", url="http://jeeves"),
    "installed": True,
    "description": None,
    "version": "1",
}
TONE = b"\0\x10\0\xf0" * 1000


def info(kinds: list[str]) -> Info:
    """Return what a server of these kinds says of itself."""
    asr = [AsrModel(name=name, languages=["en"], **ABOUT) for name in ("tiny", "base")]
    voice = [TtsVoice(name=name, languages=["en_GB"], **ABOUT) for name in ("jeeves", "bertie")]
    wake = [WakeModel(name="ok_jeeves", languages=["en"], phrase="OK Jeeves", **ABOUT)]
    parts: dict[str, Any] = {
        "asr": [AsrProgram(name="ears", models=asr, **ABOUT)],
        "tts": [TtsProgram(name="mouth", voices=voice, **ABOUT)],
        "wake": [WakeProgram(name="guard", models=wake, **ABOUT)],
        "intent": [
            IntentProgram(name="mind", models=[IntentModel(name="m", languages=["en"], **ABOUT)], **ABOUT)
        ],
        "handle": [
            HandleProgram(
                name="talker",
                models=[HandleModel(name="m", languages=["en"], **ABOUT)],
                supports_handled_streaming=True,
                **ABOUT,
            )
        ],
    }
    return Info(**{kind: parts[kind] for kind in kinds if kind in parts})


class Butler(AsyncEventHandler):
    """One client."""

    def __init__(self, described: Info, *args: Any) -> None:
        super().__init__(*args)
        self._info = described
        self._model: str | None = None
        self._words: list[str] | None = None
        self._is_voice = False
        self._is_found = False

    async def handle_event(self, event: Event) -> bool:
        """Answer; False closes the connection."""
        if Describe.is_type(event.type):
            await self.write_event(self._info.event())
        elif Transcribe.is_type(event.type):
            self._model = Transcribe.from_event(event).name or "its own"
        elif Detect.is_type(event.type):
            self._words = Detect.from_event(event).names
        elif AudioChunk.is_type(event.type):
            await self._listen(AudioChunk.from_event(event))
        elif AudioStop.is_type(event.type):
            return await self._end()
        elif Synthesize.is_type(event.type):
            await self._speak(Synthesize.from_event(event))
        elif Recognize.is_type(event.type):
            await self._recognize(Recognize.from_event(event).text)
        elif Transcript.is_type(event.type):
            await self._talk(Transcript.from_event(event).text)
        return True

    async def _listen(self, chunk: AudioChunk) -> None:
        is_loud = max(chunk.audio, default=0) > 0
        if self._words is not None and is_loud and not self._is_found:
            self._is_found = True
            await self.write_event(Detection(name="ok_jeeves", timestamp=chunk.timestamp).event())
        if self._words is None and self._model is None and is_loud != self._is_voice:
            self._is_voice = is_loud
            await self.write_event(VoiceStarted().event() if is_loud else VoiceStopped().event())

    async def _end(self) -> bool:
        if self._words is not None:
            if not self._is_found:
                await self.write_event(NotDetected().event())
            return True
        if os.environ.get("MANOR") == "Deverill":
            raise ValueError("aunts")  # the library closes the connection then
        if os.environ.get("MANOR") == "Brinkley":
            return True
        if self._model is not None:
            text = "turn on the kitchen lamp" if self._model == "its own" else f"model {self._model}"
            await self.write_event(Transcript(text=text).event())
        return False

    async def _speak(self, wish: Synthesize) -> None:
        if "explode" in wish.text:
            os.kill(os.getpid(), signal.SIGKILL)
        form: dict[str, Any] = {"rate": 22_050, "width": 2, "channels": 1}
        await self.write_event(AudioStart(**form).event())
        await self.write_event(AudioChunk(**form, audio=TONE).event())
        await self.write_event(AudioStop().event())

    async def _recognize(self, text: str) -> None:
        if text.startswith("screen "):
            entities = [Entity(name="title", value=text.removeprefix("screen "))]
            await self.write_event(Intent(name="PlayFilm", entities=entities).event())
        elif text == "cosy evening":
            await self.write_event(IntentsStart().event())
            lamp = [Entity(name="name", value="Kitchen lamp"), Entity(name="brightness", value="30")]
            await self.write_event(Intent(name="HassLightSet", entities=lamp).event())
            await self.write_event(
                Intent(name="PlayFilm", entities=[Entity(name="title", value="Up")]).event()
            )
            await self.write_event(IntentsStop().event())
        elif text == "beam me up":
            await self.write_event(Intent(name="Beam").event())
        elif text != "say nothing at all":
            if text == "think it over":
                time.sleep(1)  # noqa: ASYNC251  as servers do that work on their event loop
            await self.write_event(NotRecognized().event())

    async def _talk(self, text: str) -> None:
        if text == "tell me something":
            await self.write_event(HandledStart().event())
            for piece in ("Very ", "good, ", "Sir."):
                await self.write_event(HandledChunk(text=piece).event())
            await self.write_event(Handled(text="Very good, Sir.").event())
            await self.write_event(HandledStop().event())
        elif text == "hush":
            await self.write_event(Handled().event())
        elif text == "mix me a drink":
            await self.write_event(NotHandled(text="I regret, Sir.").event())
        elif text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        else:
            await self.write_event(NotHandled().event())


async def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--uri", required=True)
    parser.add_argument("--kinds", default="asr,tts,wake,intent,handle")
    given = parser.parse_args()
    told = "secret" if "MY_SECRET" in os.environ else "no secret"
    sys.stderr.write(f"{told} {os.environ.get('MANOR', '')}\n")
    if given.kinds == "none":
        sys.exit("nobody to serve")
    server = AsyncServer.from_uri(given.uri)
    await server.run(partial(Butler, info(given.kinds.split(","))))


if __name__ == "__main__":
    asyncio.run(main())
