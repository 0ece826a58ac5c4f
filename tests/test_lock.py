import os
from pathlib import Path

import pytest

from hub.lock import DataInUse, DataUnwritable, locked


def test_the_second_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "data"),
        pytest.raises(DataInUse, match=f"process {os.getpid()}"),
        locked(tmp_path / "data"),
    ):
        pass


def test_a_folder_is_free_again_after_its_hub(tmp_path: Path) -> None:
    for _ in range(2):
        with locked(tmp_path):
            pass


def test_a_folder_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(DataUnwritable, match=r"file/data cannot be written: .*--data"),
        locked(tmp_path / "file" / "data"),
    ):
        pass
