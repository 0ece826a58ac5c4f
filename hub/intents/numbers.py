"""Numbers in words: what `twenty point five` is in digits."""

from __future__ import annotations

from collections.abc import Sequence

from hub.intents.spoken import number, words

LARGEST = 100
"""Numbers up to this one are understood in words; larger ones in digits."""


class NumberWords:
    """The words of one language for numbers. Read-only after it is made, which takes some milliseconds."""

    def __init__(self, language: str, point: Sequence[str]) -> None:
        self._point = frozenset(point)
        self._table: dict[tuple[str, ...], int] = {}
        self._longest = 0
        from hassil.numbers import get_rbnf_engine

        try:
            engine = get_rbnf_engine(language)
        except ValueError:
            return
        for value in range(LARGEST + 1):
            for spelled in engine.format_number(value).text_by_ruleset.values():
                said = tuple(word.text for word in words(spelled))
                if said and not any(word[0].isdigit() for word in said):
                    self._table.setdefault(said, value)
                    self._longest = max(self._longest, len(said))

    def at(self, said: Sequence[str], start: int) -> tuple[float, int] | None:
        """Return the number that begins at `start`, in digits or words, and where it ends."""
        whole = self._whole(said, start)
        if whole is None:
            return None
        value, end = whole
        if end < len(said) and said[end] in self._point and value.is_integer():
            after = self._whole(said, end + 1)
            if after and after[0].is_integer() and 0 <= after[0] < LARGEST:
                return float(f"{value:g}.{after[0]:g}"), after[1]
        return whole

    def digits(self, text: str) -> str:
        """Return the text with numbers in digits instead of words."""
        said = words(text)
        plain = [word.text for word in said]
        parts: list[str] = []
        place, written = 0, 0
        while place < len(said):
            found = self.at(plain, place)
            value, end = found or (0.0, place + 1)
            if found is None or plain[place][-1].isdigit():
                place = end
                continue
            parts += [text[written : said[place].start], f"{value:g}"]
            written, place = said[end - 1].end, end
        return "".join(parts) + text[written:]

    def _whole(self, said: Sequence[str], start: int) -> tuple[float, int] | None:
        if start >= len(said):
            return None
        value = number(said[start])
        if value is not None:
            return value, start + 1
        for end in range(min(start + self._longest, len(said)), start, -1):
            known = self._table.get(tuple(said[start:end]))
            if known is not None:
                return float(known), end
        return None
