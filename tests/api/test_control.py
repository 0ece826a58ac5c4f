"""The control socket: its place, its owner, dead and living hubs."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from hub.api.control import LONGEST, SocketTaken, answers, place, signpost, signposted, taken


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a short path, as sockets need it."""
    with TemporaryDirectory(prefix="e-") as name:
        yield Path(name)


def test_the_runtime_folder_is_preferred_where_it_is_only_ours(folder: Path) -> None:
    folder.chmod(0o700)
    assert place(Path("/data"), {"XDG_RUNTIME_DIR": str(folder)}) == folder / "earnest.sock"


def test_a_runtime_folder_that_others_may_enter_is_not_used(folder: Path) -> None:
    folder.chmod(0o755)
    assert place(folder, {"XDG_RUNTIME_DIR": str(folder)}) == folder / "run" / "earnest.sock"


@pytest.mark.parametrize("environ", [{}, {"XDG_RUNTIME_DIR": "/nowhere"}])
def test_without_a_runtime_folder_the_data_folder_holds_the_socket(environ: dict[str, str]) -> None:
    assert place(Path("/data"), environ) == Path("/data/run/earnest.sock")


def test_a_configured_path_wins(folder: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": str(folder)}
    assert place(Path("/data"), environ, "/somewhere/else.sock") == Path("/somewhere/else.sock")


def test_only_its_owner_may_use_the_socket(folder: Path) -> None:
    path = folder / "run" / "earnest.sock"
    with taken(path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_the_socket_is_gone_when_the_hub_is(folder: Path) -> None:
    path = folder / "earnest.sock"
    with taken(path):
        assert answers(path)
    assert not path.exists()


def test_a_dead_hub_s_socket_is_replaced(folder: Path) -> None:
    path = folder / "earnest.sock"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert path.exists()
    assert not answers(path)
    with taken(path):
        assert answers(path)


def test_a_living_hub_keeps_its_socket(folder: Path) -> None:
    path = folder / "earnest.sock"
    with taken(path):
        with pytest.raises(SocketTaken, match=r"another hub answers at .*--socket"), taken(path):
            pass
        assert answers(path)


def test_a_stranger_that_listens_keeps_its_socket(folder: Path) -> None:
    path = folder / "earnest.sock"
    with socket.socket(socket.AF_UNIX) as stranger:
        stranger.bind(str(path))
        stranger.listen()
        with pytest.raises(SocketTaken, match="another hub answers"), taken(path):
            pass
        assert answers(path)


def test_a_file_that_is_no_socket_is_never_replaced(folder: Path) -> None:
    path = folder / "earnest.sock"
    path.write_text("precious")
    with pytest.raises(SocketTaken, match="is no socket"), taken(path):
        pass
    assert path.read_text() == "precious"


def test_a_path_too_long_for_a_socket_is_told(folder: Path) -> None:
    path = folder / ("x" * LONGEST)
    with pytest.raises(SocketTaken, match=r"longer than 107 bytes.*--socket"), taken(path):
        pass


def test_a_folder_that_cannot_be_made_is_told(folder: Path) -> None:
    (folder / "file").write_text("")
    with pytest.raises(SocketTaken, match="no control socket can be made"), taken(folder / "file" / "a.sock"):
        pass


def test_the_data_folder_leads_to_the_socket_while_the_hub_runs(folder: Path) -> None:
    data = folder / "data"
    data.mkdir()
    path = folder / "elsewhere" / "earnest.sock"
    with taken(path), signposted(data, path):
        assert answers(signpost(data))
    assert not os.path.lexists(signpost(data))


def test_a_signpost_left_by_a_dead_hub_is_replaced(folder: Path) -> None:
    signpost(folder).symlink_to(folder / "gone.sock")
    path = folder / "run" / "earnest.sock"
    with taken(path), signposted(folder, path):
        assert answers(signpost(folder))


def test_a_socket_in_the_signpost_s_own_place_needs_none(folder: Path) -> None:
    path = signpost(folder)
    with taken(path), signposted(folder, path):
        assert answers(path)
        assert not path.is_symlink()
    assert not os.path.lexists(path)
