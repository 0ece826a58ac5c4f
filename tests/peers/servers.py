"""Other people's servers as PyPI has them, in environments of their own."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from hub.remote.wire import PeerGone, dial

ROOT = Path(__file__).parents[2]


def peers_python(requirements: str = "requirements.txt") -> Path:
    """Return the interpreter of an environment with these; makes it the first time, in `EARNEST_PEERS`."""
    folder = Path(os.environ.get("EARNEST_PEERS") or ROOT / ".venv-peers")
    listed = Path(__file__).with_name(requirements)
    folder = folder if listed.stem == "requirements" else folder / listed.stem
    python, stamp = folder / "bin" / "python", folder / "requirements.txt"
    pins = listed.read_text(encoding="utf-8")
    if not (stamp.is_file() and stamp.read_text(encoding="utf-8") == pins):
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "--requirement", str(listed)], check=True)
        stamp.write_text(pins, encoding="utf-8")
    return python


@asynccontextmanager
async def running(python: Path, folder: Path, *arguments: str) -> AsyncIterator[str]:
    """Run a server until the block ends and give its address."""
    uri = f"unix://{folder}/{arguments[0]}.sock"
    log = folder / f"{arguments[0]}.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            *(str(python), "-m", *arguments, "--uri", uri),
            stdout=output,
            stderr=output,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "HF_HUB_OFFLINE": "1"},
        )
    try:
        await _until_it_listens(uri, process, log)
        yield uri
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _until_it_listens(uri: str, process: asyncio.subprocess.Process, log: Path) -> None:
    ended = asyncio.create_task(process.wait())
    async with asyncio.timeout(60):
        while True:
            try:
                (await dial(uri, 1)).close()
                break
            except PeerGone as error:
                done, _ = await asyncio.wait((ended,), timeout=0.1)
                if done:
                    raise RuntimeError(await asyncio.to_thread(log.read_text)) from error
    ended.cancel()
