"""Looking at processes that may be gone any moment."""

import psutil


def lives(process: psutil.Process) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
