"""Memory of other processes: what they hold, what they may have, whom the system takes it from first.

Everything here is Linux's own (`proc(5)`, `prlimit(2)`); elsewhere nothing is known and nothing is set.
"""

from __future__ import annotations

import resource
import signal
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_FIRST_TO_GO = 500
"""`oom_score_adj`: half of the machine's memory is added to what a child holds when the kernel chooses
whom to kill, so that it takes a worker, which is started again, and not the hub."""

_CRASHES = frozenset({-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT})
"""How a library ends that does not look whether it got its memory."""
_WORDS = ("memory", "alloc")
"""What one says that does."""


def kills() -> int | None:
    """Return how many processes the kernel has killed for lack of memory since the boot."""
    with suppress(OSError, ValueError):
        for line in (_PROC / "vmstat").read_text(encoding="ascii").splitlines():
            name, _, count = line.partition(" ")
            if name == "oom_kill":
                return int(count)
    return None


def why_killed(before: int | None, after: int | None) -> str:
    """Return the words for a process that was killed by SIGKILL, from `kills` before and after."""
    if before is None or after is None:
        return "it was killed by SIGKILL; the system may have run out of memory"
    if after > before:
        return "it was killed by the system, which had run out of memory"
    return "it was killed by SIGKILL"


def doubt(megabytes: int | None, code: int | None, last_words: str) -> str:
    """Return what to add to the reason why a process ended that was allowed so much; often nothing."""
    is_likely = code in _CRASHES or any(word in last_words.lower() for word in _WORDS)
    return f"; it may need more than `memory: {megabytes}` allows" if megabytes and is_likely else ""


def held(pid: int) -> int | None:
    """Return the megabytes that a process holds, or None when it is gone."""
    with suppress(OSError, ValueError, IndexError):
        pages = int((_PROC / str(pid) / "statm").read_text(encoding="ascii").split()[1])
        return round(pages * resource.getpagesize() / 1e6)
    return None


def restrain(pid: int, megabytes: int | None) -> None:
    """Let the system take this process before the hub, and bound the memory it may have of its own."""
    with suppress(OSError):
        (_PROC / str(pid) / "oom_score_adj").write_text(str(_FIRST_TO_GO), encoding="ascii")
    if megabytes is not None and hasattr(resource, "prlimit"):
        most = megabytes * 1_000_000
        with suppress(OSError, ValueError):
            resource.prlimit(pid, resource.RLIMIT_DATA, (most, most))
