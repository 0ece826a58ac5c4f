"""The end of the process, which nothing that was left running may hold up."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading

_log = logging.getLogger("hub")


def leave_within(seconds: float, code: int) -> None:
    """End the process with `code` in `seconds` if it has not ended by then, and say what held it up."""
    tasks = [task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    watch = threading.Timer(seconds, _leave, (seconds, code, tasks))
    watch.daemon = True
    watch.start()


def _leave(seconds: float, code: int, tasks: list[str]) -> None:
    ours = (threading.main_thread(), threading.current_thread())
    threads = [thread.name for thread in threading.enumerate() if not (thread.daemon or thread in ours)]
    held = ", ".join([f"task '{name}'" for name in tasks] + [f"thread '{name}'" for name in threads])
    _log.warning("the process is ended %g s after the hub; not over: %s", seconds, held or "its own end")
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)
