"""The bytes of a configuration file as text, or what is wrong with them."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from hub.errors import Problem

MAX_BYTES = 4 * 1024 * 1024
"""Largest single file; ten thousand commands take less than half of it."""

_UNREADABLE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_DIRECTIVES = re.compile(r"^%", re.MULTILINE)
_MAX_DIRECTIVES = 50  # libyaml compares each with all others


class Unreadable(Exception):
    """The file cannot be used; `problem` says why and where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_text(path: Path, name: str, secret: bool = False) -> str:
    """Return the text of a UTF-8 file; raises `Unreadable`, which shows nothing of a `secret` file."""
    raw = _bytes(path, name)
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise Unreadable(Problem(path="", message="this is UTF-16; save the file as UTF-8", file=name))
    try:
        text = raw.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _not_utf8(raw, error.start, name, secret) from None
    odd = _UNREADABLE.search(text)
    if odd:
        what = f"the character U+{ord(odd[0]):04X} cannot stand in YAML"
        raise _at(
            text,
            odd.start(),
            name,
            f"{what}; delete it, or write it as \\u{ord(odd[0]):04x} in double quotes",
        )
    many = [found.start() for found in _DIRECTIVES.finditer(text)][_MAX_DIRECTIVES:]
    if many:
        raise _at(text, many[0], name, f"more than {_MAX_DIRECTIVES} lines begin with '%'")
    return text


def _bytes(path: Path, name: str) -> bytes:
    try:
        found = os.stat(path)
        if stat.S_ISDIR(found.st_mode):
            raise _whole(name, "is a folder, not a file")
        if not stat.S_ISREG(found.st_mode):
            raise _whole(name, "is not a regular file")
        with open(path, "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise _whole(name, f"there is no such file ({path})") from None
    except OSError as error:
        raise _whole(name, f"cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise _whole(name, "is not the name of a file") from None
    if len(raw) > MAX_BYTES:
        raise _whole(name, f"is larger than {MAX_BYTES // 1024 // 1024} MiB; split it with !include")
    return raw


def _whole(name: str, message: str) -> Unreadable:
    return Unreadable(Problem(path="", message=message, file=name))


def _not_utf8(raw: bytes, start: int, name: str, secret: bool) -> Unreadable:
    before = raw[:start].decode().removeprefix("\ufeff")
    what = "" if secret else f" (0x{raw[start]:02x})"
    return _at(before, len(before), name, f"byte {start + 1}{what} is not UTF-8; save the file as UTF-8")


def _at(text: str, index: int, name: str, message: str) -> Unreadable:
    lines = text[:index].replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return Unreadable(
        Problem(path="", message=message, file=name, line=len(lines), column=len(lines[-1]) + 1)
    )
