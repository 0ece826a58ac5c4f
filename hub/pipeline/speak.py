"""Cuts an answer that still grows into sentences that a voice can speak one by one."""

from __future__ import annotations

import re

LONGEST = 400
"""Characters after which a piece is cut at the best place there is, sentence or not."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TITLES = _words(
    "dr mr mrs ms prof st rev gen col capt lt sgt gov sen hon vs"
    " hr fr dipl bzw ggf inkl evtl sog"
    " mme mlle"
    " dhr mevr mw drs bijv"
    " sra srta dra"
)
"""Abbreviations that something always follows: English, German, French, Dutch, Spanish."""
_COUNTED = _words("no nos nr núm fig pp ch vol ca approx aprox art tel max min")
"""Abbreviations when a number follows, and words of their own when none does."""
_NEVER = _words("e.g i.e u.s u.k z.b d.h u.a p.ej ee.uu t.a.v")
"""Abbreviations with stops inside that hardly ever end a sentence."""
_ENDERS = ".!?…"
_CLOSERS = "\"'\u201d\u2019»)]}*_`~"
_OPENERS = "([{\"'\u201c\u2018«*_"
_WIDE = "。！？｡"  # noqa: RUF001  these are the characters meant
"""Ends of sentences in scripts that put no space after them."""
_END = re.compile(
    rf"[{re.escape(_ENDERS)}]+[{re.escape(_CLOSERS)}]*(?=\s)|[{_WIDE}]+[{re.escape(_CLOSERS)}]*|\n"
)
_LAST_WORD = re.compile(r"\S+$")
_LONGEST_WORD = 40
_ORDINALS = _words("de da nb nn no fi cs sk pl hu et hr sl tr")
"""Languages that write "the 3rd" as "3."."""


class SentenceCutter:
    """Takes text as it comes and gives whole sentences; joined they have the same words."""

    def __init__(self, language: str = "en") -> None:
        self._has_ordinals = language.partition("-")[0].lower() in _ORDINALS
        self._text = ""
        self._searched = 0
        """Characters that hold no end of a sentence for certain."""

    def feed(self, text: str) -> list[str]:
        """Return the sentences that are whole by now."""
        self._text += text
        found: list[str] = []
        while (end := self._next_end()) is not None:
            sentence = self._text[:end].strip()
            self._text, self._searched = self._text[end:].lstrip(), 0
            if sentence:
                found.append(sentence)
        return found

    def end(self) -> list[str]:
        """Return what is left."""
        rest = self._text.strip()
        self._text, self._searched = "", 0
        return [rest] if rest else []

    def _next_end(self) -> int | None:
        """Return where the first piece ends, if that is certain by now."""
        for match in _END.finditer(self._text, self._searched):
            if match.end() > LONGEST:
                break
            after = self._text[match.end() :]
            if match.group() == "\n" or after.startswith("\n") or (after and match.group()[0] in _WIDE):
                return match.end()
            following = after.lstrip()
            if not following:
                break
            if self._is_end(match, following[0]):
                return match.end()
            self._searched = match.end()
        return self._best_cut() if len(self._text) > LONGEST else None

    def _is_end(self, match: re.Match[str], following: str) -> bool:
        if following.islower():
            return False
        if match.group().rstrip(_CLOSERS) != ".":
            return True
        at = match.start()
        found = _LAST_WORD.search(self._text, max(0, at - _LONGEST_WORD), at)
        word = found.group().lstrip(_OPENERS) if found else ""
        small = word.lower()
        if small in _TITLES or small in _NEVER or (small in _COUNTED and following.isdigit()):
            return False
        is_initial = len(word) == 1 and word.isupper() and word != "I"
        return not is_initial and not self._is_number_before_its_noun(word, at)

    def _is_number_before_its_noun(self, word: str, at: int) -> bool:
        """Whether "3." begins an item of a list, or means "3rd"."""
        if not word.isdigit():
            return False
        is_item = not self._text[: at - len(word)].strip()
        return is_item or (self._has_ordinals and len(word) <= 2)

    def _best_cut(self) -> int:
        """Return where to cut a piece that is too long: at a comma, a space, or anywhere."""
        head = self._text[:LONGEST]
        for mark in ("; ", ": ", ", ", " "):
            place = head.rfind(mark)
            if place > LONGEST // 4:
                return place + len(mark)
        return LONGEST
