import asyncio

from hub.pipeline.tape import Tape


async def read(tape: Tape[int]) -> list[int]:
    return [item async for item in tape.read()]


async def test_every_reader_gets_all_from_the_start() -> None:
    tape: Tape[int] = Tape()
    early = asyncio.create_task(read(tape))
    tape.put(1)
    await asyncio.sleep(0)
    late = asyncio.create_task(read(tape))
    tape.put(2)
    tape.end()
    assert await early == await late == await read(tape) == [1, 2]


async def test_waiting_for_the_first_piece() -> None:
    tape: Tape[int] = Tape()
    waiting = asyncio.create_task(tape.filled())
    await asyncio.sleep(0)
    tape.put(1)
    assert await waiting is True


async def test_a_tape_that_ends_without_a_piece() -> None:
    tape: Tape[int] = Tape()
    waiting = asyncio.create_task(tape.filled())
    await asyncio.sleep(0)
    tape.end()
    assert await waiting is False
    assert await read(tape) == []


async def test_who_asks_is_called_at_the_end_once_and_only_inside_the_block() -> None:
    tape: Tape[int] = Tape()
    calls: list[str] = []
    with tape.when_over(lambda: calls.append("left")):
        pass
    with tape.when_over(lambda: calls.append("in time")):
        tape.end()
        tape.end()
    with tape.when_over(lambda: calls.append("late")):
        pass
    assert calls == ["in time", "late"]
