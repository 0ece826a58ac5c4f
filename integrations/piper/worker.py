"""The process that runs Piper."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub import AudioFormat, Engine, EngineError, Model, Offer, Program, Voice, serve

if TYPE_CHECKING:
    from piper import PiperVoice, SynthesisConfig


class Speaker:
    """One loaded voice. Calls may come from several threads."""

    def __init__(self, name: str, voice: PiperVoice, config: SynthesisConfig) -> None:
        self._name = name
        self._voice = voice
        self._config = config

    def speak(self, text: str, voice: Voice) -> Iterator[bytes]:
        """Yield 16-bit samples, one sentence after the other."""
        if voice.name not in (None, self._name):
            raise EngineError(f"there is no voice '{voice.name}' here, only '{self._name}'")
        text = " ".join(text.split())
        if text[-1].isalnum():
            text += "."  # without it a voice ends as if it were interrupted
        for chunk in self._voice.synthesize(text, self._configured(voice.speaker)):
            yield chunk.audio_int16_bytes

    def _configured(self, speaker: str | None) -> SynthesisConfig:
        from dataclasses import replace

        if speaker is None:
            return self._config
        return replace(self._config, speaker_id=speaker_id(self._voice.config.speaker_id_map, speaker))


def speaker_id(known: Mapping[str, int], speaker: str) -> int:
    """Return the number of a speaker that is given by name or number."""
    number = known.get(speaker, int(speaker) if speaker.isdecimal() else None)
    if number is None or number not in (known.values() or (0,)):
        raise EngineError(
            f"there is no speaker '{speaker}'; there are {', '.join(known) or 'none to choose'}"
        )
    return number


def open_engine(options: Mapping[str, Any]) -> Engine:
    """Load the voice that lies in `file`."""
    from importlib.metadata import version

    from onnxruntime import InferenceSession, SessionOptions
    from piper import PiperVoice, SynthesisConfig
    from piper.config import PiperConfig

    file = Path(options["file"])
    described = json.loads(Path(f"{file}.json").read_text(encoding="utf-8"))
    config = PiperConfig.from_dict(described)
    threads = SessionOptions()
    threads.intra_op_num_threads = options["threads"]
    threads.inter_op_num_threads = 1
    session = InferenceSession(str(file), threads, providers=["CPUExecutionProvider"])
    speakers, speaker = config.speaker_id_map, options["speaker"]
    speech = SynthesisConfig(
        speaker_id=speaker_id(speakers, speaker) if speaker else None,
        length_scale=options["length_scale"],
        noise_scale=options["noise_scale"],
        noise_w_scale=options["noise_w"],
    )
    model = Model(
        name=file.stem,
        description=file.stem,
        languages=(described.get("language", {}).get("code", config.espeak_voice),),
        speakers=tuple(speakers),
        author="rhasspy",
        url="https://huggingface.co/rhasspy/piper-voices",
    )
    program = Program(
        name="piper",
        description="A fast, local, neural voice",
        version=version("piper-tts"),
        models=(model,),
        streams=True,
        author="OHF-Voice",
        url="https://github.com/OHF-Voice/piper1-gpl",
    )
    return Engine(
        offer=Offer(tts=(program,)),
        speak=Speaker(file.stem, PiperVoice(session=session, config=config), speech).speak,
        format=AudioFormat(rate=config.sample_rate),
        pause=options["sentence_silence"],
    )


if __name__ == "__main__":
    serve(open_engine)
