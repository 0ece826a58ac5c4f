"""A child process is started, watched, started again, and leaves nothing behind."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import pytest

from hub.errors import EngineUnavailable
from hub.supervisor import Child, ChildLimits, Supervisor, safe_environment
from hub.supervisor.memory import why_killed
from tests.processes import lives
from tests.remote.scripted import until


@dataclass(slots=True)
class Bench:
    supervisor: Supervisor
    said: list[tuple[str, str | None]] = field(default_factory=list)

    @property
    def states(self) -> list[str]:
        return [state for state, _ in self.said]


async def _yes() -> bool:
    return True


@asynccontextmanager
async def _running(
    script: str,
    limits: ChildLimits,
    is_ready: Callable[[], Awaitable[bool]] = _yes,
    is_alive: Callable[[], Awaitable[object]] = _yes,
    command: tuple[str, ...] = ("sh", "-c"),
    greeting: bytes = b"",
) -> AsyncIterator[Bench]:
    child = Child(
        name="engine",
        command=(*command, script),
        greeting=greeting,
        is_ready=is_ready,
        is_alive=is_alive,
        environment=safe_environment(GIVEN="yes"),
    )
    said: list[tuple[str, str | None]] = []
    supervisor = Supervisor(child, limits, lambda state, reason: said.append((state, reason)))
    async with supervisor:
        yield Bench(supervisor, said)


def _exists(path: Path) -> Callable[[], Awaitable[bool]]:
    async def exists() -> bool:
        return os.access(path, os.F_OK)

    return exists


async def test_it_is_greeted_and_told_only_what_it_may_know(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("API_TOKEN", "hunter2")
    monkeypatch.setenv("LC_TIME", "de_DE.UTF-8")
    script = f"read line; env > {tmp_path}/env; echo $line > {tmp_path}/line; exec cat"
    async with _running(
        script, ChildLimits(), _exists(tmp_path / "line"), greeting=b"hello child\n"
    ) as bench:
        await bench.supervisor.first_start()
        await until(lambda: (tmp_path / "line").read_text())
        assert (tmp_path / "line").read_text() == "hello child\n"
        environment = (tmp_path / "env").read_text()
        assert "hunter2" not in environment
        assert "GIVEN=yes" in environment
        assert "LC_TIME=de_DE.UTF-8" in environment
        assert "PATH=" in environment
        pid = bench.supervisor.pid
        assert pid
    assert not psutil.pid_exists(pid)
    assert bench.said == [("starting", None), ("ready", None)]


async def test_one_that_does_not_want_to_end_is_killed_with_its_children(tmp_path: Path) -> None:
    script = f"trap '' TERM; sleep 3600 & echo $! > {tmp_path}/pid; touch {tmp_path}/ready; wait; wait"
    async with _running(script, ChildLimits(stop=0.1), _exists(tmp_path / "ready")) as bench:
        await bench.supervisor.first_start()
        child = psutil.Process(int((tmp_path / "pid").read_text()))
    await until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


async def test_what_it_leaves_behind_when_it_ends_is_killed(tmp_path: Path) -> None:
    script = f"sleep 3600 > /dev/null 2>&1 & echo $! > {tmp_path}/pid; exit 3"
    async with _running(script, ChildLimits(pause=60), _exists(tmp_path / "never")) as bench:
        with pytest.raises(EngineUnavailable, match="it ended with 3: it said nothing"):
            await bench.supervisor.first_start()
        pid = int((tmp_path / "pid").read_text())
        await until(
            lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
        )


async def test_one_that_is_never_ready_is_killed_and_it_is_said(tmp_path: Path) -> None:
    limits = ChildLimits(start=0.1, pause=60)
    async with _running("exec sleep 3600", limits, _exists(tmp_path / "never")) as bench:
        with pytest.raises(EngineUnavailable, match=r"^it was not ready within 0.1 s$"):
            await bench.supervisor.first_start()


async def test_one_that_somebody_waits_for_is_given_less_time_for_a_sign_of_life() -> None:
    asked = asyncio.Event()

    async def silent() -> None:
        asked.set()
        await asyncio.Event().wait()

    limits = ChildLimits(check=0.01, sign=600, urgent=0.1, pause=0.01)
    async with _running("exec sleep 3600", limits, is_alive=silent) as bench:
        await bench.supervisor.first_start()
        await asked.wait()
        with bench.supervisor.asked():
            await bench.supervisor.ready(more_than=1)
            await bench.supervisor.ready(more_than=2)
    reasons = [reason for state, reason in bench.said if state == "restarting"]
    assert reasons == ["it gave no sign of life within 0.1 s"] * 2


@pytest.mark.parametrize("script", ["kill -SEGV $$", "echo mkl_malloc: failed to allocate memory; exit 1"])
async def test_one_that_crashes_under_a_limit_of_memory_may_have_needed_more(script: str) -> None:
    async with _running(script, ChildLimits(memory=700, failures=1)) as bench:
        await until(lambda: bench.states[-1:] == ["off"])
    reason = str(bench.supervisor.health.last_reason)
    assert reason.endswith("; it may need more than `memory: 700` allows")


async def test_one_that_gives_no_sign_of_life_is_killed_and_started_again() -> None:
    async def silence() -> None:
        await asyncio.Event().wait()

    limits = ChildLimits(check=0.02, sign=0.1, pause=0.01)
    async with _running("exec sleep 3600", limits, is_alive=silence) as bench:
        await bench.supervisor.first_start()
        await bench.supervisor.ready(more_than=1)
    assert ("restarting", "it gave no sign of life within 0.1 s") in bench.said


async def test_failures_in_a_row_turn_it_off_until_it_has_cooled_down(tmp_path: Path) -> None:
    limits = ChildLimits(failures=2, pause=0.01, cool_down=0.2)
    script = f"test -e {tmp_path}/repaired && exec sleep 3600; echo out of memory >&2; exit 1"
    async with _running(script, limits, _exists(tmp_path / "repaired")) as bench:
        await until(lambda: "off" in bench.states)
        assert bench.said[-1] == ("off", "it ended with 1: out of memory (2 failures in a row)")
        with pytest.raises(EngineUnavailable, match="'engine' is off: it ended with 1: out of memory"):
            await bench.supervisor.ready()
        (tmp_path / "repaired").touch()
        await until(lambda: bench.states[-1] == "ready")
        await bench.supervisor.ready()


async def test_a_request_that_was_answered_makes_earlier_failures_count_no_more() -> None:
    async with _running("exec sleep 3600", ChildLimits(failures=2, pause=0.01)) as bench:
        for start in range(4):
            await bench.supervisor.ready(more_than=start)
            bench.supervisor.worked()
            bench.supervisor.kill("somebody tripped over the cable")
        await bench.supervisor.ready(more_than=4)
    assert "off" not in bench.states


async def test_a_request_waits_for_a_new_start_only_so_long() -> None:
    async with _running("exec false", ChildLimits(pause=3600, restart=0.1), _exists(Path("/never"))) as bench:
        with pytest.raises(EngineUnavailable, match="'engine' is not ready: it ended with 1"):
            await bench.supervisor.ready()


async def test_a_program_that_is_not_there_is_named() -> None:
    async with _running("", ChildLimits(pause=60), command=("/no/such/python",)) as bench:
        with pytest.raises(EngineUnavailable, match="it cannot be started: No such file"):
            await bench.supervisor.first_start()


async def test_one_that_crashes_is_missed_at_once_though_its_children_hold_its_output(
    tmp_path: Path,
) -> None:
    script = f"sleep 3600 & echo $! > {tmp_path}/pid; setsid sleep 3600 & echo $! > {tmp_path}/far; exit 3"
    async with _running(script, ChildLimits(pause=60), _exists(tmp_path / "never")) as bench:
        with pytest.raises(EngineUnavailable, match="it ended with 3"):
            await bench.supervisor.first_start()
    left = [int((tmp_path / name).read_text()) for name in ("pid", "far")]
    await until(lambda: not any(psutil.pid_exists(pid) and lives(psutil.Process(pid)) for pid in left))


async def test_the_first_new_start_is_at_once_and_the_next_after_a_pause() -> None:
    async with _running("exec sleep 3600", ChildLimits(pause=3600)) as bench:
        await bench.supervisor.ready()
        bench.supervisor.kill("once")
        await bench.supervisor.ready(more_than=1)
        bench.supervisor.kill("twice")
        await until(lambda: bench.states[-1] == "restarting")
        assert bench.said[-1] == ("restarting", "twice")
        health = bench.supervisor.health
        assert (health.starts, health.crashes, health.failures, health.last_reason) == (2, 2, 2, "twice")


async def test_one_that_ran_for_long_has_no_failures_in_a_row() -> None:
    async with _running("exec sleep 3600", ChildLimits(failures=2, pause=0.01, cool_down=0.01)) as bench:
        for start in range(4):
            await bench.supervisor.ready(more_than=start)
            began = asyncio.get_running_loop().time()
            await until(lambda: asyncio.get_running_loop().time() - began > 0.02)  # noqa: B023
            bench.supervisor.kill("a power cut")
        await bench.supervisor.ready(more_than=4)
    assert "off" not in bench.states


async def test_its_health_says_what_it_holds_and_the_system_takes_it_before_the_hub() -> None:
    grow = "import sys, time; sys.stdin.readline(); b = b'x' * 50_000_000; time.sleep(3600)"
    command, limits = (sys.executable, "-c"), ChildLimits(check=0.02)
    async with _running(grow, limits, command=command, greeting=b"now\n") as bench:
        await until(lambda: (bench.supervisor.health.memory or 0) > 50)
        assert bench.states[-2:] == ["ready", "ready"]
        assert _readiness_to_go(bench.supervisor.pid) > _readiness_to_go(os.getpid())


def _readiness_to_go(pid: int | None) -> int:
    return int(Path(f"/proc/{pid}/oom_score_adj").read_text())


async def test_memory_that_it_may_not_have_is_its_own_error(tmp_path: Path) -> None:
    greedy = "import time; time.sleep(0.2); b = b'x' * 300_000_000; time.sleep(3600)"
    limits = ChildLimits(memory=100, pause=60)
    command = (sys.executable, "-c")
    async with _running(greedy, limits, _exists(tmp_path / "never"), command=command) as bench:
        with pytest.raises(EngineUnavailable, match="it ended with 1: MemoryError"):
            await bench.supervisor.first_start()


def test_who_was_killed_for_lack_of_memory_is_told_so() -> None:
    assert why_killed(3, 4) == "it was killed by the system, which had run out of memory"
    assert why_killed(3, 3) == "it was killed by SIGKILL"
    for unknown in ((None, 3), (3, None)):
        assert why_killed(*unknown) == "it was killed by SIGKILL; the system may have run out of memory"


async def test_an_engine_that_aborts_says_its_last_words() -> None:
    script = "echo terminate called after std::bad_alloc >&2; kill -ABRT $$"
    async with _running(script, ChildLimits(pause=60), _exists(Path("/never"))) as bench:
        with pytest.raises(EngineUnavailable, match=r"by SIGABRT: terminate called after std::bad_alloc"):
            await bench.supervisor.first_start()


async def test_garbage_that_is_printed_becomes_words_without_control_characters() -> None:
    script = r"printf 'bad \033[31mred\377\000 \a end'; exit 1"
    async with _running(script, ChildLimits(pause=60), _exists(Path("/never"))) as bench:
        with pytest.raises(EngineUnavailable) as caught:
            await bench.supervisor.first_start()
    assert str(caught.value) == "it ended with 1: bad [31mred\ufffd  end"


async def test_a_flood_of_output_is_read_and_only_its_end_kept(tmp_path: Path) -> None:
    script = "yes x | head -c 3000000 | tr -d '\\n'; echo; echo the end; exit 1"
    async with _running(script, ChildLimits(pause=60), _exists(tmp_path / "never")) as bench:
        with pytest.raises(EngineUnavailable, match=r"^it ended with 1: the end$"):
            await bench.supervisor.first_start()
