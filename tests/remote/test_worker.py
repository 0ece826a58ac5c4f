"""An engine in a real process of its own, which crashes, hangs, fails and prints."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import psutil
import pytest
from wyoming.client import AsyncClient
from wyoming.event import Event

from hub.errors import EngineError, EngineTimeout, EngineUnavailable, IntegrationError
from hub.remote.worker import Service, WorkerLimits, worker
from hub.values.speech import Hearing
from tests.processes import lives
from tests.remote import plain
from tests.remote.contexts import context
from tests.remote.scripted import chunks, each, until

PARROT = Path(__file__).with_name("parrot.py")
QUICK = WorkerLimits(pause=0.01, line=0.5, stop=0.5)


@dataclass(slots=True)
class Bench:
    """A running parrot."""

    service: Service
    trouble: Path
    said: list[str | None] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)

    async def hear(self) -> str:
        async with self.service.asr().transcribe(chunks(), Hearing()) as transcripts:
            return [transcript.text async for transcript in transcripts][-1]

    async def speak(self, *sentences: str) -> int:
        """Return how many samples it hummed."""
        async with self.service.tts().synthesize(each(sentences)) as sound:
            return sum([len(chunk.pcm) // 2 async for chunk in sound])

    @property
    def process(self) -> psutil.Process:
        assert self.service.pid
        return psutil.Process(self.service.pid)


@asynccontextmanager
async def _running(
    folder: Path, limits: WorkerLimits = QUICK, listen: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[Bench]:
    said: list[str | None] = []
    facts: dict[str, Any] = {}
    told = {"trouble": str(folder / "trouble"), **options}
    mine = context(folder, said, facts=facts)
    async with worker(mine, PARROT, told, limits=limits, listen=listen) as service:
        yield Bench(service, folder / "trouble", said, facts)


async def test_it_serves_the_hub_and_others_whatever_it_prints_and_is_gone_at_the_end(tmp_path: Path) -> None:
    other = f"unix://{tmp_path}/other.sock"
    async with _running(tmp_path, listen=(other,)) as bench:
        process = bench.process
        assert await bench.hear() == f"6400 bytes from {process.pid}"
        assert await bench.speak("ab", "c") == 600
        for uri in (bench.service.uri, other):
            assert [program.name for program in (await plain.info(uri)).asr] == ["parrot"]
        assert not os.stat(bench.service.uri.removeprefix("unix://")).st_mode & 0o077
        assert "EARNEST_SECRET" not in process.environ()
    assert not process.is_running()
    assert bench.said == [None]


async def test_a_crash_in_the_middle_is_asked_once_more_and_answered(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        before = bench.service.pid
        bench.trouble.write_text("crash")
        assert await bench.hear() == f"6400 bytes from {bench.service.pid}"
        assert bench.service.pid != before
        assert list(dict.fromkeys(bench.said)) == [None, "its worker is restarting: it was killed by SIGKILL"]
        assert bench.said[-1] is None


async def test_a_worker_that_is_killed_while_idle_is_there_again_for_the_next(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        await bench.hear()
        bench.process.kill()
        assert "6400 bytes" in await bench.hear()


async def test_a_voice_that_crashes_is_asked_again_only_if_nothing_was_heard_of_it(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        bench.trouble.write_text("crash")
        assert await bench.speak("abc") == 600
        bench.trouble.write_text("later crash")
        with pytest.raises(EngineUnavailable, match=r"^'parrot' crashed: it was killed by SIGKILL$"):
            await bench.speak("abc")
        assert await bench.speak("abc") == 600


async def test_a_line_that_is_not_answered_kills_the_worker_and_all_it_started(tmp_path: Path) -> None:
    async with _running(tmp_path, child=str(tmp_path / "child")) as bench:
        child = psutil.Process(int((tmp_path / "child").read_text()))
        before = bench.process
        bench.trouble.write_text("hang")
        with pytest.raises(EngineTimeout, match=r"^'parrot' hung: it gave no answer within 0\.5 s$"):
            await bench.hear()
        await until(lambda: not lives(before) and not lives(child))
        assert "6400 bytes" in await bench.hear()
        assert "gave no answer within 0.5 s" in str(bench.said[1])


async def test_a_call_that_hangs_after_its_client_left_ends_the_worker(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        before = bench.process
        bench.trouble.write_text("hang")
        asking = asyncio.create_task(bench.hear())
        await until(lambda: not bench.trouble.exists())
        asking.cancel()
        await asyncio.wait((asking,))
        await until(lambda: not lives(before))
        assert "6400 bytes" in await bench.hear()


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("fail", "cannot make that out"),
        ("memory", "there was not enough memory for this"),
        ("end", "the engine gave up: SystemExit the library has had enough"),
    ],
)
async def test_whatever_an_engine_raises_on_one_line_is_told_and_keeps_the_worker(
    tmp_path: Path, trouble: str, words: str
) -> None:
    async with _running(tmp_path) as bench:
        before = bench.service.pid
        for ask in (bench.hear, partial(bench.speak, "abc")):
            bench.trouble.write_text(trouble)
            with pytest.raises(EngineError, match=f"^{words}$"):
                await ask()
        assert (await bench.hear()).endswith(f"from {before}")


async def test_nothing_that_is_printed_disturbs_a_client(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        before = bench.service.pid
        for _ in range(3):
            bench.trouble.write_text("noise")
            assert await bench.hear() == f"6400 bytes from {before}"
            bench.trouble.write_text("later noise")
            assert await bench.speak("ab") == 600


async def test_an_engine_that_reads_its_input_finds_nothing_there(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        before = bench.service.pid
        bench.trouble.write_text("ask")
        assert await bench.hear() == f"6400 bytes from {before}"


async def test_a_call_that_nobody_waits_for_any_more_does_not_keep_the_worker(tmp_path: Path) -> None:
    limits = WorkerLimits(pause=0.01, abandoned=0.2)
    async with _running(tmp_path, limits) as bench:
        before = bench.process
        bench.trouble.write_text("hang")
        asking = asyncio.create_task(bench.hear())
        await until(lambda: not bench.trouble.exists())
        asking.cancel()
        await asyncio.wait((asking,))
        assert "6400 bytes" in await bench.hear()
        assert not lives(before)
        assert "the engine went on for 0.2 s after nobody waited for it" in str(bench.said)


async def test_a_worker_that_freezes_is_missed_long_before_the_line_limit(tmp_path: Path) -> None:
    limits = WorkerLimits(pause=0.01, check=0.05, sign=0.5)
    async with _running(tmp_path, limits) as bench:
        before = bench.process
        bench.trouble.write_text("freeze")
        assert "6400 bytes" in await bench.hear()
        assert not lives(before)
        assert "it gave no sign of life within 0.5 s" in str(bench.said)


async def test_other_clients_cannot_keep_the_hub_out(tmp_path: Path) -> None:
    other = tmp_path / "other.sock"
    limits = WorkerLimits(clients=1, check=0.05)
    async with _running(tmp_path, limits, (f"unix://{other}",)) as bench:
        async with AsyncClient.from_uri(f"unix://{other}") as first:
            await first.write_event(Event(type="ping"))
            assert await first.read_event()
            async with AsyncClient.from_uri(f"unix://{other}") as second:
                event = await second.read_event()
                assert event
                assert event.data["text"] == "too many clients are connected"
            answers = await asyncio.gather(*(bench.hear() for _ in range(5)))
        assert len(set(answers)) == 1
        assert bench.said == [None]


async def test_its_health_is_told_with_counts_and_the_last_reason(tmp_path: Path) -> None:
    async with _running(tmp_path) as bench:
        assert (bench.facts["starts"], bench.facts["crashes"], bench.facts["last_reason"]) == (1, 0, None)
        assert bench.facts["memory_mb"] > 5
        bench.trouble.write_text("crash")
        await bench.hear()
        told = {key: bench.facts[key] for key in ("starts", "crashes", "failures_in_a_row", "last_reason")}
        assert told == {
            "starts": 2,
            "crashes": 1,
            "failures_in_a_row": 0,
            "last_reason": "it was killed by SIGKILL",
        }


async def test_three_failures_in_a_row_turn_it_off_and_say_why(tmp_path: Path) -> None:
    limits = WorkerLimits(pause=0.01, failures=3, restart=20)
    async with _running(tmp_path, limits) as bench:
        for _ in range(3):
            await bench.service._supervisor.ready()
            starts = bench.service._supervisor.starts
            bench.process.kill()
            await until(lambda: bench.service._supervisor.starts > starts or "off" in str(bench.said[-1]))  # noqa: B023
        with pytest.raises(
            EngineUnavailable, match=r"'parrot' is off: it was killed by SIGKILL \(3 failures"
        ):
            await bench.hear()


async def test_another_program_may_run_the_worker(tmp_path: Path) -> None:
    program = ("env", "MARK=here", sys.executable, "-P")
    told = {"trouble": str(tmp_path / "trouble")}
    async with worker(context(tmp_path, []), PARROT, told, program=program, limits=QUICK) as service:
        assert psutil.Process(service.pid).environ()["MARK"] == "here"


async def test_a_worker_that_does_not_start_says_its_last_words(tmp_path: Path) -> None:
    with pytest.raises(IntegrationError, match="it ended with 1: RuntimeError: the model is broken"):
        async with _running(tmp_path, broken=True):
            pass


async def test_a_run_folder_too_deep_for_a_socket_does_no_harm(tmp_path: Path) -> None:
    deep = tmp_path.joinpath(*["a" * 30] * 4)
    deep.mkdir(parents=True)
    async with _running(deep) as bench:
        assert "6400 bytes" in await bench.hear()


HUB = """
import asyncio, sys
from pathlib import Path
from hub.remote.worker import worker
from tests.remote.contexts import context
async def main():
    folder = Path(sys.argv[1])
    async with worker(context(folder, []), sys.argv[2], {"trouble": str(folder / "t")}) as service:
        print(service.pid, flush=True)
        await asyncio.sleep(3600)
asyncio.run(main())
"""


async def test_a_worker_does_not_outlive_a_hub_that_is_killed(tmp_path: Path) -> None:
    command = (sys.executable, "-c", HUB, str(tmp_path), str(PARROT))
    hub = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE, cwd=PARROT.parents[2])
    assert hub.stdout
    child = psutil.Process(int(await hub.stdout.readline()))
    hub.kill()
    await hub.wait()
    await until(lambda: not lives(child))


@pytest.fixture(autouse=True)
def _secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARNEST_SECRET", "hunter2")
    assert os.environ["EARNEST_SECRET"]
