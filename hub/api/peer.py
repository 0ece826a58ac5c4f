"""Who is at the other end of the control socket."""

from __future__ import annotations

import pwd
import re
import socket
import struct

from aiohttp import web

from hub.api.answers import Rejected
from hub.api.hub import OWNER
from hub.values.tool import Caller

CLIENT = "Earnest-Client"
"""Header in which a client may name itself; `cli` is the command line."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_CREDENTIALS = struct.Struct("3i")
"""`struct ucred` of Linux' unix(7): process, user and group id."""


def user_id(request: web.Request) -> int | None:
    """Return the user id at the other end as the kernel knows it, or None where it does not tell."""
    sock = request.get_extra_info("socket")
    if sock is None or sock.family != socket.AF_UNIX or not hasattr(socket, "SO_PEERCRED"):
        return None
    packed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(packed)
    return int(user)


def admit(request: web.Request) -> None:
    """Let the socket's owner in; raises `Rejected` for all others."""
    user = user_id(request)
    if user is not None and user != request.app[OWNER]:
        raise Rejected(403, "not-owner", f"this socket is only for {name_of(request.app[OWNER])}")


def caller(request: web.Request) -> Caller:
    """Return the caller of what this request asks for: `cli:<user>` or `api:<client>`."""
    user = name_of(user_id(request))
    client = request.headers.get(CLIENT, user)
    if client == "cli":
        return Caller((f"cli:{user}",))
    if not _NAME.fullmatch(client):
        raise Rejected(400, "bad-client", f"{CLIENT} takes up to 64 letters, digits, dots, dashes")
    return Caller((f"api:{client}",))


def name_of(user: int | None) -> str:
    """Return the user's name, or the number of one without a name."""
    if user is None:
        return "unknown"
    try:
        return pwd.getpwuid(user).pw_name
    except KeyError:
        return str(user)
