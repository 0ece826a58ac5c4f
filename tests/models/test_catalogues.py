"""What the integrations say of their models."""

from __future__ import annotations

from pathlib import Path

import pytest

from hub.errors import ModelUnknown
from hub.models.catalogue import Catalogue, Surroundings
from hub.models.catalogues import catalogues
from hub.models.verify import digests, found
from integrations import faster_whisper, piper

EVERY = {one.integration: one for one in catalogues()}
WHISPER, VOICES = EVERY["faster_whisper"], EVERY["piper"]


def chosen(catalogue: Catalogue, memory: float, *languages: str, **options: object) -> tuple[str, ...]:
    around = Surroundings(memory=memory, languages=languages)
    return catalogue.wanted({catalogue.option: "auto", **options}, around)


def test_all_that_is_asked_for_has_its_place_at_its_publisher() -> None:
    assert (len(WHISPER.models), len(VOICES.models)) == (16, 176)
    every = [file for one in EVERY.values() for model in one.models for file in model.files]
    assert all(file.url.startswith("https://huggingface.co/") and file.url.isascii() for file in every)
    weights = [file for file in every if file.path.endswith((".bin", ".onnx"))]
    assert all(file.sha256 or file.md5 for file in weights)
    assert len({file.url for file in every}) == len(every)
    assert "tug%C3%A3o" in next(file.url for file in every if file.path == "pt_PT-tugão-medium.onnx")


def test_a_whisper_is_at_a_revision_that_cannot_change() -> None:
    for model in WHISPER.models:
        assert {file.path for file in model.files} > {"model.bin", "config.json", "tokenizer.json"}
        (revision,) = {file.url.split("/")[-2] for file in model.files}
        assert len(revision) == 40


def test_the_packaged_models_are_what_their_publishers_have() -> None:
    (tiny,) = [model for model in WHISPER.models if model.name == "tiny.en"]
    place = WHISPER.packaged()["tiny.en"]
    assert all(found(place, file) for file in tiny.files)
    (joe,) = [model for model in VOICES.models if model.name == "en_US-joe-medium"]
    voice = joe.files[1]
    assert digests(VOICES.packaged()["en_US-joe-medium"] / voice.path)[1] == voice.md5


def test_a_name_that_is_none_has_a_near_one() -> None:
    assert WHISPER.find("turbo").name == "large-v3-turbo"
    with pytest.raises(ModelUnknown, match=r"knows no model 'smal'; did you mean 'small'\?; `earnest models"):
        WHISPER.find("smal")
    with pytest.raises(ModelUnknown, match="did you mean 'de_DE-thorsten-medium'"):
        VOICES.find("de-thorsten-medium")


@pytest.mark.parametrize(
    ("memory", "languages", "names"),
    [
        (1, ("en",), ("tiny.en", "tiny")),
        (7.7, ("en", "en-GB"), ("small.en", "small", "base.en", "base", "tiny.en", "tiny")),
        (7.7, ("en", "de"), ("small", "base", "tiny")),
        (3.8, ("pt-BR",), ("base", "tiny")),
        (64, ("de",), ("medium", "small", "base", "tiny")),
    ],
)
def test_auto_takes_the_whisper_that_fits_memory_and_languages(
    memory: float, languages: tuple[str, ...], names: tuple[str, ...]
) -> None:
    assert chosen(WHISPER, memory, *languages) == names


def test_a_table_and_a_language_of_ones_own_count() -> None:
    table = {0: "tiny.en", 6: "distil-small.en", 12: "turbo"}
    assert chosen(WHISPER, 8, "en", auto=table)[0] == "distil-small.en"
    assert chosen(WHISPER, 16, "en", auto=table)[0] == "large-v3-turbo"
    assert chosen(WHISPER, 8, "en", language="de")[0] == "small"
    set_value = WHISPER.wanted({"model": "large"}, Surroundings(memory=1, languages=("en",)))
    assert set_value == ("large-v3",)


@pytest.mark.parametrize(
    ("memory", "language", "first"),
    [
        (4, "en", "en_US-joe-medium"),
        (4, "en-GB", "en_GB-alan-medium"),
        (1, "de", "de_DE-karlsson-low"),
        (4, "de-AT", "de_DE-thorsten-medium"),
        (32, "de", "de_DE-thorsten-high"),
        (4, "pt-BR", "pt_BR-cadu-medium"),
        (4, "tlh", "en_US-joe-medium"),
    ],
)
def test_auto_takes_a_voice_of_the_houses_language(memory: float, language: str, first: str) -> None:
    assert chosen(VOICES, memory, language)[0] == first


def test_a_table_may_name_a_voice() -> None:
    assert chosen(VOICES, 8, "de", auto={0: "low", 4: "de_DE-kerstin-low"})[0] == "de_DE-kerstin-low"


def test_a_table_that_names_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="did you mean 'small'"):
        faster_whisper.Options(auto={4: "smal"})
    with pytest.raises(ValueError, match="knows no voice 'huge'"):
        piper.Options(auto={4: "huge"})
    for options in (faster_whisper.Options, piper.Options):
        with pytest.raises(ValueError, match="at least one line"):
            options(auto={})


def test_a_catalogue_that_is_broken_hides_no_other(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    sources = {"broken": "1 / 0\n", "other": "CATALOGUE = 3\n", "gone": "raise SystemExit(1)\n"}
    for name, text in sources.items():
        folder = tmp_path / "integrations" / name
        folder.mkdir(parents=True)
        (folder / "catalogue.py").write_text(text)
    assert {one.integration for one in catalogues(tmp_path)} == set(EVERY)
    assert len(caplog.records) == 3
