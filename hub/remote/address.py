"""Where a server listens, as an option of an integration."""

from __future__ import annotations

from typing import Annotated

from hub.errors import WireError
from hub.remote.wire import listen_address


def known_address(uri: str) -> str:
    """Return the address; raises `ValueError` with how to write one if it is none."""
    try:
        listen_address(uri)
    except WireError as error:
        raise ValueError(str(error)) from error
    return uri


Address = Annotated[str, known_address]
"""`tcp://host:port` or `unix:///path`."""
