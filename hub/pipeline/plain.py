"""Text as it is said: without markdown, addresses, arrows and pictures, which no voice can speak."""

from __future__ import annotations

import re
import unicodedata

_DEGREES = {"de": "Grad", "fr": "degrés", "nl": "graden", "es": "grados", "it": "gradi", "pt": "graus"}
"""How "°C" is said; `degrees` in every other language."""

_FENCE = re.compile(r"^\s*(```|~~~).*$", re.M)
_LINK = re.compile(r"!?\[([^\]\n]*)\]\([^)\n]*\)")
_URL = re.compile(
    r"<?\b(?:https?|ftp)://[^\s<>]*[^\s<>.,;:!?)\]}'\"]>?/?|\bwww\.[^\s<>]*[^\s<>.,;:!?)\]}'\"]"
)
_TAG = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>")
_HEAD = re.compile(r"^\s*(?:#{1,6}\s+|>\s?|[-*+•]\s+(?:\[[ xX]\]\s+)?)+", re.M)
_RULE = re.compile(r"^\s*(?:[-*_]\s*){3,}$|^\s*\|?\s*:?-{3,}[-|:\s]*$", re.M)
_EMPHASIS = re.compile(r"(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])")
_MARKS = re.compile(r"[*`]+|~~")
_ARROW = re.compile(r"\s*(?:[\u2190-\u21ff\u27f0-\u27ff\u2900-\u297f\u2b00-\u2bff]|<?[-=]+>)+\ufe0f?\s*")
_TIMES = re.compile(r"(?<=\d)\s*\*\s*(?=\d)")
_DEGREE = re.compile(r"\s*(?:°(?:\s*[CF]\b)?|[\u2103\u2109])")
_CELL = re.compile(r"\s*\|\s*")
_LOOSE = re.compile(r"(?:\s*,)+(?=\s*[.,;:!?])|^[\s,;]+|[\s,;]+$|\s+(?=[.,](?:\s|$))|\(\s*\)")
"""Punctuation whose words are gone."""
_INVISIBLE = frozenset(("Cf", "Co", "Cn", "Cs"))
_SAID = frozenset("°©®№")
"""Symbols that a voice has words for."""


def spoken(text: str, language: str = "en") -> str:
    """Return what is to be said of a sentence; empty when there is nothing in it to say."""
    text = _RULE.sub("", _FENCE.sub("", text))
    text = _URL.sub("", _TAG.sub(" ", _LINK.sub(r"\1", text)))
    text = _TIMES.sub(" \u00d7 ", text)
    text = _MARKS.sub("", _EMPHASIS.sub("", _HEAD.sub("", text)))
    text = _CELL.sub(", ", _ARROW.sub(", ", text))
    degrees = _DEGREES.get(language.partition("-")[0].lower(), "degrees")
    text = _DEGREE.sub(f" {degrees}", text)
    text = "".join(filter(_is_said, text))
    text = _LOOSE.sub("", " ".join(text.split()))
    return text if any(map(str.isalnum, text)) else ""


def _is_said(character: str) -> bool:
    """Whether a voice can do something with it: no pictures, no invisible joiners."""
    if character.isascii() or character in _SAID:
        return character.isprintable() or character.isspace()
    kind = unicodedata.category(character)
    is_skin = 0x1F3FB <= ord(character) <= 0x1F3FF
    is_selector = 0xFE00 <= ord(character) <= 0xFE0F
    return (
        kind != "So" and kind not in _INVISIBLE and not is_skin and not is_selector and character != "\u20e3"
    )
