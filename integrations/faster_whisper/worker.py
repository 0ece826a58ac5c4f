"""The process that runs faster-whisper."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hub import Engine, EngineError, Hearing, Model, Offer, Program, Transcript, serve

if TYPE_CHECKING:
    from faster_whisper import WhisperModel
    from faster_whisper.transcribe import Segment

_WINDOW = 30 * 16_000 * 2
"""Bytes that Whisper hears in one go; without timestamps it can not go on past them."""


class Whisper:
    """One loaded model. Calls may come from several threads."""

    def __init__(self, model: WhisperModel, options: Mapping[str, Any]) -> None:
        self._model = model
        self._options = options
        self._biased: tuple[tuple[str, ...], str] = ((), "")

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages the model knows."""
        return tuple(self._model.supported_languages)

    def hear(self, pcm: bytes, hearing: Hearing) -> Iterator[Transcript]:
        """Yield the words so far, one segment after the other, then all of them."""
        import numpy as np

        samples = np.frombuffer(pcm, np.int16).astype(np.float32) / 32_768
        segments, about = self._model.transcribe(
            samples,
            language=self._language(hearing),
            beam_size=self._options["beam_size"],
            temperature=0.0,
            condition_on_previous_text=False,
            without_timestamps=len(pcm) <= _WINDOW,
            **self._bias(hearing.phrases),
        )
        heard: list[Segment] = []
        for segment in segments:
            heard.append(segment)
            yield Transcript(text=_joined(heard), final=False)
        yield _summary(heard, about.language)

    def _language(self, hearing: Hearing) -> str | None:
        asked = hearing.language or self._options["language"]
        if asked is None:
            return None if len(self.languages) > 1 else self.languages[0]
        language = str(asked).replace("_", "-").partition("-")[0].lower()
        if language not in self.languages:
            raise EngineError(f"the model '{self._options['model']}' does not know the language '{asked}'")
        return language

    def _bias(self, phrases: tuple[str, ...]) -> dict[str, str]:
        if self._options["bias"] == "off" or not phrases:
            return {"initial_prompt": self._options["prompt"]} if self._options["prompt"] else {}
        if self._biased[0] != phrases:
            self._biased = phrases, self._fitting(phrases)
        text = f"{self._options['prompt']} {self._biased[1]}".strip()
        return {"hotwords" if self._options["bias"] == "hotwords" else "initial_prompt": text}

    def _fitting(self, phrases: tuple[str, ...]) -> str:
        """Join what fits into the prompt; the most telling comes last, where the model heeds it most."""
        left = self._options["bias_tokens"]
        chosen: list[str] = []
        for phrase in map(_punctuated, phrases):
            left -= len(self._model.hf_tokenizer.encode(f" {phrase}", add_special_tokens=False).ids)
            if left < 0:
                break
            chosen.append(phrase)
        return " ".join(reversed(chosen))


def _punctuated(phrase: str) -> str:
    """Write a sentence as a sentence and a name as one of a list."""
    phrase = " ".join(phrase.split())
    if phrase.endswith((".", "?", "!", ",")):
        return phrase
    return f"{phrase}." if len(phrase.split()) > 3 else f"{phrase},"


def _joined(segments: Iterable[Segment]) -> str:
    return "".join(segment.text for segment in segments).strip()


def _summary(segments: list[Segment], language: str) -> Transcript:
    """Return the final transcript; its figures are means over the segments, by their length."""
    weights = [max(segment.end - segment.start, 0.01) for segment in segments]
    total = sum(weights)
    if not total:
        return Transcript(text="", language=language)
    pairs = list(zip(segments, weights, strict=True))
    return Transcript(
        text=_joined(segments),
        language=language,
        confidence=math.exp(sum(s.avg_logprob * w for s, w in pairs) / total),
        no_speech=sum(s.no_speech_prob * w for s, w in pairs) / total,
    )


def open_engine(options: Mapping[str, Any]) -> Engine:
    """Load the model that lies in `folder`."""
    import faster_whisper
    from faster_whisper import WhisperModel

    model = WhisperModel(
        options["folder"],
        device=options["device"],
        compute_type=options["compute_type"],
        cpu_threads=options["threads"],
        local_files_only=True,
    )
    whisper = Whisper(model, options)
    described = Model(
        name=options["model"],
        description=f"Whisper {options['model']}",
        languages=whisper.languages,
        author="OpenAI",
        url="https://github.com/openai/whisper",
    )
    program = Program(
        name="faster-whisper",
        description="Whisper on CTranslate2",
        version=faster_whisper.__version__,
        models=(described,),
        author="SYSTRAN",
        url="https://github.com/SYSTRAN/faster-whisper",
    )
    return Engine(offer=Offer(asr=(program,)), hear=whisper.hear)


if __name__ == "__main__":
    serve(open_engine)
