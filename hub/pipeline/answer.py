"""The answer of a turn on its way to a voice."""

from __future__ import annotations

from hub.pipeline.plain import spoken
from hub.pipeline.speak import SentenceCutter
from hub.pipeline.tape import Tape


class Answer:
    """Takes text piece by piece and gives sentences as they are spoken."""

    def __init__(self, language: str) -> None:
        self.sentences: Tape[str] = Tape()
        """What a voice reads, while it still grows."""
        self._language = language
        self._cutter = SentenceCutter(language)

    def write(self, text: str) -> None:
        """Add a piece of text."""
        self._put(self._cutter.feed(text))

    def end(self) -> None:
        """Say that the answer is whole."""
        self._put(self._cutter.end())
        self.sentences.end()

    def _put(self, sentences: list[str]) -> None:
        for sentence in sentences:
            if said := spoken(sentence, self._language):
                self.sentences.put(said)
