"""How every stage hands over what it makes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

_Item = TypeVar("_Item")

Stream = AbstractAsyncContextManager[AsyncIterator[_Item]]
"""`async with stage.work(…) as items: async for item in items: …`"""
