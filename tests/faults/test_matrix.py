"""Every fault at every moment, through a real worker under the real supervisor, queue, registry and turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from hub.audio import AudioChunk
from tests.faults.cases import CASES, Case
from tests.faults.happening import happened
from tests.faults.house import WHOLE, faulty_house
from tests.processes import lives

_AT_ONCE = 6
"""Cases that run side by side: most of their time they wait."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[Case, Case | Exception]:
    """What came of each case."""
    places = asyncio.Semaphore(_AT_ONCE)

    async def one(case: Case) -> Case | Exception:
        async with places:
            try:
                return await happened(case, tmp_path_factory.mktemp("house"))
            except Exception as error:  # noqa: BLE001  the case's own test shows it
                return error

    return dict(zip(CASES, await asyncio.gather(*map(one, CASES)), strict=True))


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_a_person_hears_when(case: Case, outcomes: dict[Case, Case | Exception]) -> None:
    outcome = outcomes[case]
    if isinstance(outcome, Exception):
        raise outcome
    assert outcome == case


async def silence() -> AsyncIterator[AudioChunk]:
    """Give half a second of it."""
    for _ in range(25):
        yield AudioChunk(bytes(640))


def test_the_matrix_has_every_fault_and_moment_once() -> None:
    assert len(set(map(str, CASES))) == len(CASES)


async def test_one_that_will_not_stop_is_killed_with_all_it_has_started(tmp_path: Path) -> None:
    async with faulty_house(tmp_path, "ears", WHOLE, 20.0, has_child=True) as house:
        worker = house.process("ears")
        while len(family := [worker, *worker.children(recursive=True)]) < 3:
            await asyncio.sleep(0)
        worker.suspend()
        began = asyncio.get_running_loop().time()
    assert asyncio.get_running_loop().time() - began >= WHOLE.stop
    assert not any(map(lives, family))
    assert not list((tmp_path / "children").iterdir())


@pytest.mark.parametrize("fault", ["hangs", "freezes"])
async def test_one_that_is_stopped_while_it_does_not_answer_keeps_nobody_waiting(
    tmp_path: Path, fault: str
) -> None:
    case = Case(engine="ears", moment="while it thinks", fault=fault)
    async with faulty_house(tmp_path, "ears", WHOLE, 20.0, cues=(case.cue,)) as house:
        worker = house.process("ears")
        turn = asyncio.create_task(house.listen(silence(), has_spare=False))
        while house.cues:
            await asyncio.sleep(0)
        await house.registry.close()
        turn.cancel()
        await asyncio.wait((turn,))
        assert not lives(worker)
