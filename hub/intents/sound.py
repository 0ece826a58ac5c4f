"""How words sound, roughly, and how easily one is taken for another."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

SOUND_COUNTS = 0.65
"""Part of a likeness that is the sound; the rest is the spelling."""

_VOWELS = "aeiouAEIOUW"
_NEAR = "pb td kg fv sz SZ zZ sS mn nN wv fT tT sT:0.4 lr wr dT:0.7"
_NEAR_VOWELS = "ae ei iE eE oO uU oa aA eA iI oW uo oU aI:0.25"
_DROPPED: Mapping[str, float] = MappingProxyType({"h": 0.4} | dict.fromkeys("rtdpbsz" + _VOWELS, 0.6))
"""What it costs to say one of these too little or too much; other sounds cost 1."""
_OTHER_VOWEL = 0.7
_FIRST_SOUND = 0.5
"""What another first sound costs more than the same swap elsewhere."""
_SOFT_STARTS = "h" + _VOWELS
"""Sounds that come and go at the start of a word."""
_AFTER_A_NASAL = 0.4
"""A stop between a nasal and the next sound is hardly heard: lam(p), win(d)."""
_SKELETON = str.maketrans("bdTgvzSZNm", "pttkfsssnn", _VOWELS + "hwy'")

# Spellings and how they are spoken, in capitals what one letter cannot say: A (day) E (see) I (my) O (go)
# U (do) W (now) S (she) Z (measure) T (thin) N (sing). The longest that fits counts; ^ and $ are the ends.
_RULES: Mapping[str, str] = MappingProxyType(
    {
        "en": """^kn n ^gn n ^wr r ^ps s ^wh w ^who hU ^x z ^y j wa wo walk wok talk tok tch tS dge dZ ch
            tS sh S ph f igh I ight It ough o augh o eigh A gh g ck k th T qu kw q k x ks tion Sn sion
            Zn ture tSr ce se ci si cy si c k ge$ dZ mb$ m mn$ m gn$ n ng N nk Nk j dZ ai A ay A ei A
            ey$ E ea E ee E ie E oa O oe O ow W ou W oor Or oo U ew U ue U ui U oi oi oy oi au o aw o
            all ol er er ir er ur er re$ r le$ l y$ E e$ _ es$ s ed$ d y i""",
        "de": """sch S ch x ck k ph f th t qu kv v f w v z ts tz ts ß s ss s st st ^st St ^sp Sp ei I ai I
            ie E eu oi äu oi au W ö e ü i ä e y i eh A ah a oh O uh U ih E dt t d$ t b$ p g$ k er$ a j
            j x ks c k""",
        "fr": """o$ O eau O au O ou U oi wa ai e ei e œu e eu e ch S ph f gn n qu k ge Ze gi Zi j Z ç s ce
            se ci si c k ill i en a an a em a am a in e ain e ein e on o un e h _ ent$ a s$ _ t$ _ d$
            _ x$ _ p$ _ er$ e ez$ e et$ e es$ _ e$ _ é e è e ê e y i w v""",
        "nl": """sch sx ch x g x ij I ei I y i ui W oe U ou W au W ie E ee A aa a oo O uu u eu e dt t d$ t
            b$ p w v v f z s c k ck k th t j j ph f""",
        "es": """ll j ñ n ch tS qu k gu g ge xe gi xi j x h _ v b ce se ci si z s c k y$ i rr r gü gw ü u""",
    }
)
_SOFT = MappingProxyType({"c": "s", "g": "dZ"})
_VOWEL = re.compile("[aeiouy]")
_PLAIN = "ph f th t ck k qu kv c k x ks y i w v h _"
"""For languages without rules of their own."""


@dataclass(frozen=True, slots=True)
class Ear:
    """Hears words as one language speaks them. Keeps nothing but what it reads them with."""

    spoken: Mapping[str, str]
    pattern: re.Pattern[str]

    @classmethod
    def of(cls, language: str) -> Ear:
        """Return the ear for a language (or its family)."""
        family = language.replace("_", "-").partition("-")[0].casefold()
        return _ear(family if family in _RULES else "")

    def sound(self, word: str) -> str:
        """Return how a folded word is spoken, one letter a sound; a doubled letter is one sound."""
        parts = [self._spoken(match) for match in self.pattern.finditer(word)]
        plain = unicodedata.normalize("NFD", "".join(parts)) if not word.isascii() else "".join(parts)
        return re.sub(r"(.)\1+", r"\1", "".join(c for c in plain if c.isalnum()))

    def _spoken(self, match: re.Match[str]) -> str:
        said = match[0]
        if match.lastgroup == "long":
            first = said[0].upper() if not _VOWEL.search(match.string, 0, match.start()) else said[0]
            return first + (_SOFT.get(said[1]) or self.sound_of(said[1]))
        for key in (f"^{said}" * (match.start() == 0), f"{said}$" * (match.end() == len(match.string)), said):
            if key in self.spoken:
                return self.spoken[key].replace("_", "")
        return said

    def sound_of(self, letter: str) -> str:
        """Return how a letter by itself is spoken."""
        return self.spoken.get(letter, letter).replace("_", "")

    def likeness(
        self, heard: str, meant: str, heard_sound: str, meant_sound: str, least: float = 0.0
    ) -> float:
        """Return 0 to 1: how easily a word that was `meant` is written down as what was `heard`.

        Both come with their `sound`; under `least` it is 0.
        """
        if heard == meant:
            return 1.0
        longest = max(len(heard_sound), len(meant_sound), 1)
        found = SOUND_COUNTS * (1 - _sounds_apart(heard_sound, meant_sound) / longest)
        if found + 1 - SOUND_COUNTS >= least:
            longest = max(len(heard), len(meant))
            even = [1.0] * longest
            found += (1 - SOUND_COUNTS) * (1 - _distance(heard, meant, even, even, _NO_SWAPS) / longest)
        return round(found, 3) if found >= least else 0.0


@lru_cache(maxsize=16)
def _ear(family: str) -> Ear:
    table = _RULES.get(family, _PLAIN).split()
    spoken = dict(zip(table[::2], table[1::2], strict=True))
    longest_first = sorted(spoken, key=lambda one: len(one.strip("^$")), reverse=True)
    patterns = [
        ("^" if one[0] == "^" else "") + re.escape(one.strip("^$")) + ("$" if one[-1] == "$" else "")
        for one in longest_first
    ]
    long = r"(?P<long>[aeiou][bcdfgklmnprstvz])e(?=s?$)|" if family == "en" else ""
    return Ear(MappingProxyType(spoken), re.compile(long + "|".join(patterns) + r"|\w"))


def skeleton(sound: str) -> str:
    """Return what of a sound is hardest to mishear: its consonants, those that sound alike as one."""
    return re.sub(r"(.)\1+", r"\1", sound.translate(_SKELETON))


def _sounds_apart(one: str, two: str) -> float:
    """Return what it costs to hear one for the other; the first sound is the hardest to mishear."""
    apart = _distance(one, two, _prices(one), _prices(two), _SWAPS)
    first, other = one[:1], two[:1]
    if first == other or (first in _SOFT_STARTS and one[1:2] == other):
        return apart
    if other in _SOFT_STARTS and first == two[1:2]:
        return apart
    return apart + min(_SWAPS.get(first + other, 1.0) * _FIRST_SOUND, 1.0)


def _prices(sound: str) -> list[float]:
    """Return what each sound costs to leave out."""
    prices = [_DROPPED.get(letter, 1.0) for letter in sound]
    for place, letter in enumerate(sound[1:], 1):
        if letter in "pbtdkg" and sound[place - 1] in "mnN":
            prices[place] = _AFTER_A_NASAL
    return prices


def _distance(
    one: str, two: str, left_out: list[float], put_in: list[float], swaps: Mapping[str, float]
) -> float:
    """Return what it costs to turn one text into the other: Levenshtein's distance with prices."""
    while one and two and one[-1] == two[-1]:
        one, two = one[:-1], two[:-1]
    start = 0
    while start < len(one) and start < len(two) and one[start] == two[start]:
        start += 1
    row = [0.0]
    for place in range(start, len(two)):
        row.append(row[-1] + put_in[place])
    for line in range(start, len(one)):
        away, said = left_out[line], one[line]
        before, left = row, row[0] + away
        row = [left]
        for place in range(start, len(two)):
            letter, column = two[place], place - start
            kept = before[column] if said == letter else before[column] + swaps.get(said + letter, 1.0)
            left = min(kept, before[column + 1] + away, left + put_in[place])
            row.append(left)
    return row[-1]


def _swaps() -> dict[str, float]:
    prices = {one + two: _OTHER_VOWEL for one in _VOWELS for two in _VOWELS}
    for pair_list, _, price in (
        group.rpartition(":") for group in re.findall(r"[^:]+:[\d.]+", _NEAR + _NEAR_VOWELS)
    ):
        for pair in pair_list.split():
            prices[pair] = prices[pair[::-1]] = float(price)
    return prices


_SWAPS: Mapping[str, float] = MappingProxyType(_swaps())
_NO_SWAPS: Mapping[str, float] = MappingProxyType({})
