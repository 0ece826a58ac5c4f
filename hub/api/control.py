"""The control socket: where it is, how a hub takes it, and how others find it."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from hub.errors import EarnestError

NAME = "earnest.sock"
LONGEST = 107
"""Bytes of a unix socket's path (`sun_path` in Linux' unix(7), without its closing zero)."""
PROBE_SECONDS = 1.0
"""How long a socket may take to accept before it counts as dead."""


class SocketTaken(EarnestError):
    """The control socket cannot be had: another hub answers there, or the path is no place for one."""

    code = "socket-taken"


def place(data: Path, environ: Mapping[str, str], configured: str | Path | None = None) -> Path:
    """Return the socket's path: the configured one, `$XDG_RUNTIME_DIR`, or the data folder's `run`."""
    if configured:
        return Path(configured).expanduser().absolute()
    runtime = environ.get("XDG_RUNTIME_DIR")
    if runtime and _is_ours(Path(runtime)):
        return Path(runtime) / NAME
    return data.absolute() / "run" / NAME


def signpost(data: Path) -> Path:
    """Return the path in the data folder that leads to its hub's socket, wherever that is."""
    return data / NAME


def answers(path: Path) -> bool:
    """Whether somebody accepts connections at the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_SECONDS)
        try:
            probe.connect(str(path))
        except OSError:
            return False
        return True


@contextmanager
def taken(path: Path) -> Iterator[socket.socket]:
    """Listen at `path` while the block is open: mode 0600, a dead hub's socket is replaced.

    Raises `SocketTaken` when another hub answers there or no socket can be made there.
    """
    if len(os.fsencode(path)) > LONGEST:
        raise SocketTaken(f"{path} is longer than {LONGEST} bytes; choose a shorter path with --socket")
    with ExitStack() as stack:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            stack.enter_context(_turnstile(path))
            _clear(path)
            listener = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            inode = _bind(listener, path)
        except OSError as error:
            raise SocketTaken(f"no control socket can be made at {path}: {error.strerror}") from error
        stack.callback(_remove, path, inode)
        yield listener


@contextmanager
def signposted(data: Path, path: Path) -> Iterator[None]:
    """Let the data folder lead to the socket while the block is open."""
    post = signpost(data)
    if post.absolute() == path.absolute():
        yield
        return
    with suppress(FileNotFoundError):
        post.unlink()
    post.symlink_to(path)
    try:
        yield
    finally:
        if post.is_symlink() and os.readlink(post) == str(path):
            post.unlink()


def _is_ours(folder: Path) -> bool:
    try:
        found = folder.stat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


@contextmanager
def _turnstile(path: Path) -> Iterator[None]:
    """Hold the lock beside the socket, so that two hubs that start at once cannot both replace it."""
    descriptor = os.open(f"{path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SocketTaken(_another(path)) from None
        yield
    finally:
        os.close(descriptor)


def _clear(path: Path) -> None:
    """Make way: a dead socket goes, a living one or a file of another kind stays."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if answers(path):
        raise SocketTaken(_another(path))
    if not stat.S_ISSOCK(mode) and not stat.S_ISLNK(mode):
        raise SocketTaken(f"{path} is no socket; the hub will not replace it: choose another with --socket")
    path.unlink()


def _bind(listener: socket.socket, path: Path) -> int:
    """Bind with mode 0600 from the first moment; return the inode."""
    os.fchmod(listener.fileno(), 0o600)
    listener.bind(str(path))
    path.chmod(0o600)
    listener.listen(128)
    return path.stat().st_ino


def _remove(path: Path, inode: int) -> None:
    with suppress(FileNotFoundError):
        if path.lstat().st_ino == inode:
            path.unlink()


def _another(path: Path) -> str:
    return f"another hub answers at {path}; stop it, or give this one another socket with --socket"
