import asyncio
import time
from pathlib import Path

import pytest

from hub.testing.clock import StuckLoop, VirtualLoop

pytestmark = pytest.mark.virtual_time


async def test_an_hour_passes_at_once() -> None:
    loop = asyncio.get_running_loop()
    before, real = loop.time(), time.monotonic()
    await asyncio.sleep(3600)
    assert loop.time() - before == pytest.approx(3600)
    assert time.monotonic() - real < 5


async def test_timers_fire_in_their_order() -> None:
    order: list[str] = []

    async def after(seconds: float, name: str) -> None:
        await asyncio.sleep(seconds)
        order.append(name)

    await asyncio.gather(after(3, "c"), after(1, "a"), after(2, "b"))
    assert order == ["a", "b", "c"]


async def test_a_timeout_fires_on_virtual_time() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(100):
            await asyncio.Event().wait()


async def test_time_stands_still_while_a_thread_works() -> None:
    loop = asyncio.get_running_loop()
    before = loop.time()
    async with asyncio.timeout(0.5):
        await asyncio.to_thread(sum, range(300_000))
    assert loop.time() == before


async def test_a_timer_still_fires_when_a_thread_outlasts_it() -> None:
    import threading

    release = threading.Event()
    work = asyncio.ensure_future(asyncio.to_thread(release.wait, 20))
    done, _ = await asyncio.wait([work], timeout=0.05)
    release.set()
    assert not done
    assert await work


async def test_a_foreign_thread_is_waited_for() -> None:
    import threading

    loop = asyncio.get_running_loop()
    answer = loop.create_future()
    release = threading.Event()

    def work() -> None:
        release.wait(5)
        loop.call_soon_threadsafe(answer.set_result, "here")

    thread = threading.Thread(target=work)
    thread.start()
    loop.call_soon(release.set)
    async with asyncio.timeout(5):
        assert await answer == "here"
    thread.join()


async def test_a_listening_server_does_not_hold_the_time_but_a_connection_does(tmp_path: Path) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(await reader.readline())
        writer.close()
        await writer.wait_closed()

    loop = asyncio.get_running_loop()
    server = await asyncio.start_unix_server(serve, tmp_path / "socket")
    async with server:
        real = time.monotonic()
        await asyncio.sleep(600)
        assert time.monotonic() - real < 5
        before = loop.time()
        reader, writer = await asyncio.open_unix_connection(tmp_path / "socket")
        writer.write(b"hello\n")
        async with asyncio.timeout(5):
            assert await reader.readline() == b"hello\n"
        writer.close()
        await writer.wait_closed()
        assert loop.time() - before < 5


async def test_a_child_process_is_waited_for() -> None:
    process = await asyncio.create_subprocess_exec(
        "python3", "-c", "pass", stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
    )
    async with asyncio.timeout(30):
        assert await process.wait() == 0


def test_a_loop_that_nothing_can_wake_is_called_stuck() -> None:
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(patience=0.01)) as runner, pytest.raises(StuckLoop):
        runner.run(asyncio.Event().wait())
