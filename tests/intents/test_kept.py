import os
import pickle
from pathlib import Path

import pytest

from hub.intents import kept
from hub.intents.sentences import Sentences


def _file(cache: Path) -> Path:
    (file,) = cache.glob("sentences-*.pickle")
    return file


def _templates(sentences: Sentences | None) -> list[tuple[int, str, object]]:
    assert sentences
    return [(template.order, template.intent, template.needs) for template in sentences.templates]


def test_what_is_kept_is_what_would_be_made(tmp_path: Path) -> None:
    made = kept.sentences("en", tmp_path)
    written = _file(tmp_path).stat().st_mtime_ns
    again = kept.sentences("en", tmp_path)
    assert again is not made
    assert _templates(again) == _templates(made) == _templates(Sentences.load("en"))
    assert _file(tmp_path).stat().st_mtime_ns == written
    assert not list(tmp_path.glob(".sentences-*"))


@pytest.mark.parametrize(
    "content", [b"", b"\x80\x05rubbish", pickle.dumps(["other"])], ids=["empty", "torn", "other"]
)
def test_a_damaged_file_is_made_anew(tmp_path: Path, content: bytes) -> None:
    kept.sentences("en", tmp_path)
    file = _file(tmp_path)
    file.write_bytes(content)
    assert _templates(kept.sentences("en", tmp_path))
    assert _file(tmp_path).stat().st_size > 100_000


def test_a_file_that_others_could_have_written_is_not_read(tmp_path: Path) -> None:
    kept.sentences("en", tmp_path)
    trap = tmp_path / "was-run"
    file = _file(tmp_path)

    class Trap:
        def __reduce__(self) -> tuple[object, tuple[str]]:
            return os.mkdir, (str(trap),)

    file.write_bytes(pickle.dumps(Trap()))
    file.chmod(0o666)
    assert _templates(kept.sentences("en", tmp_path))
    assert not trap.exists()


def test_files_of_other_versions_go(tmp_path: Path) -> None:
    (tmp_path / "sentences-en-0123456789abcdef.pickle").write_bytes(b"old")
    kept.sentences("en", tmp_path)
    assert "0123456789abcdef" not in _file(tmp_path).name


def test_a_folder_that_cannot_be_written_costs_no_sentence(tmp_path: Path) -> None:
    assert _templates(kept.sentences("en", tmp_path / "nowhere"))


@pytest.mark.parametrize("language", ["../../etc/passwd", "xx", "tlh"])
def test_an_unknown_language_leaves_nothing(tmp_path: Path, language: str) -> None:
    assert kept.sentences(language, tmp_path) is None
    assert not list(tmp_path.iterdir())
