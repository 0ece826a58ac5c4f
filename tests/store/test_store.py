from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hub.errors import StoreError
from hub.house import Given
from hub.store import StoreLimits, open_store
from hub.values.thing import State

MOMENT = datetime(2027, 3, 1, 12, 30, 5, 17, tzinfo=timezone(timedelta(hours=2)))


def state(entity_id: str = "light.lamp", value: str = "on", **attributes: Any) -> State:
    """Return a state of that moment."""
    return State(
        entity_id=entity_id, state=value, attributes=attributes, last_changed=MOMENT, last_updated=MOMENT
    )


def aside(folder: Path) -> list[Path]:
    """Return what was moved away because it was damaged."""
    return list(folder.glob("*.damaged-*"))


async def test_states_and_given_names_survive_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "data" / "earnest.db"
    lamp = state(brightness=12, rgb_color=[1, 2, 3], effect=None)
    named = Given(name="Ümläut 灯", aliases=("a", "b"), exposed=False)
    async with open_store(path) as store:
        assert await store.states() == ()
        store.keep(state(value="off"))
        store.keep(lamp)
        store.keep(state("lock.door", "locked"))
        await store.give("light.lamp", Given(name="Old"))
        await store.give("light.lamp", named)
    async with open_store(path) as store:
        assert sorted(await store.states(), key=lambda one: one.entity_id) == [
            lamp,
            state("lock.door", "locked"),
        ]
        assert await store.given() == {"light.lamp": named}


@pytest.mark.virtual_time
async def test_what_changes_often_is_written_once_in_an_interval(tmp_path: Path) -> None:
    path = tmp_path / "earnest.db"

    def on_disk() -> list[tuple[str, str]]:
        with sqlite3.connect(path) as reader:
            rows = reader.execute("select entity_id, state from states").fetchall()
        reader.close()
        return rows

    async with open_store(path, StoreLimits(flush_interval=2)) as store:
        for number in range(500):
            store.keep(state(value=str(number)))
        await asyncio.sleep(1.9)
        assert on_disk() == []
        await asyncio.sleep(0.2)
        await store.states()
        assert on_disk() == [("light.lamp", "499")]


def test_a_given_name_survives_a_kill(tmp_path: Path) -> None:
    code = (
        "import asyncio, os, signal, sys\n"
        "from pathlib import Path\n"
        "from hub.house import Given\n"
        "from hub.store import open_store\n"
        "async def main():\n"
        "    async with open_store(Path(sys.argv[1])) as store:\n"
        "        await store.give('light.lamp', Given(name='Kept'))\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "asyncio.run(main())\n"
    )
    path = tmp_path / "earnest.db"
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == -9

    async def given_names() -> dict[str, Given]:
        async with open_store(path) as store:
            return dict(await store.given())

    assert asyncio.run(given_names()) == {"light.lamp": Given(name="Kept")}


@pytest.mark.parametrize("damage", [b"no database at all" * 300, b"SQLite format 3\0" * 300])
async def test_a_damaged_file_is_moved_aside_and_a_fresh_one_begun(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    path = tmp_path / "earnest.db"
    path.write_bytes(damage)
    async with open_store(path) as store:
        assert await store.states() == ()
        store.keep(state())
    async with open_store(path) as store:
        assert await store.states() == (state(),)
    (moved,) = aside(tmp_path)
    assert moved.read_bytes() == damage
    assert len(caplog.records) == 1
    assert str(moved) in caplog.text


async def test_damage_inside_the_file_is_found(tmp_path: Path) -> None:
    path = tmp_path / "earnest.db"
    async with open_store(path) as store:
        for number in range(300):
            store.keep(state(f"light.lamp_{number}", "on", text="x" * 200))
    content = bytearray(path.read_bytes())
    content[8192:20480] = os.urandom(12288)
    path.write_bytes(content)
    async with open_store(path) as store:
        assert await store.states() == ()
    assert aside(tmp_path)


async def test_a_row_that_cannot_be_read_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "earnest.db"
    async with open_store(path) as store:
        store.keep(state("light.a"))
        store.keep(state("light.b"))
        await store.give("light.a", Given(name="A"))
        await store.give("light.b", Given(name="B"))
    with sqlite3.connect(path) as writer:
        writer.execute("update states set attributes = '[1' where entity_id = 'light.a'")
        writer.execute("update given set said = '7' where thing_id = 'light.a'")
    writer.close()
    async with open_store(path) as store:
        assert await store.states() == (state("light.b"),)
        assert await store.given() == {"light.b": Given(name="B")}


async def test_a_file_of_a_newer_hub_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "earnest.db"
    with sqlite3.connect(path) as writer:
        writer.execute("pragma user_version=999")
    writer.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="newer Earnest"):
        async with open_store(path):
            pass
    assert path.read_bytes() == before
    assert aside(tmp_path) == []


async def test_a_place_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        async with open_store(tmp_path / "file" / "earnest.db"):
            pass


async def test_a_locked_file_is_reported_once_and_written_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "earnest.db"
    async with open_store(path, StoreLimits(flush_interval=0.05, busy_timeout=0)) as store:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("begin exclusive")
        store.keep(state(value="first"))
        with pytest.raises(StoreError, match="locked"):
            await store.give("light.lamp", Given(name="Lost"))
        while not caplog.records:
            await asyncio.wait([asyncio.ensure_future(store.states())])
        store.keep(state("light.other"))
        other.execute("rollback")
        other.close()
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]
    async with open_store(path) as store:
        assert {one.entity_id for one in await store.states()} == {"light.lamp", "light.other"}


async def test_the_file_is_for_its_owner_only(tmp_path: Path) -> None:
    async with open_store(tmp_path / "earnest.db"):
        assert (tmp_path / "earnest.db").stat().st_mode & 0o077 == 0


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
surrogates = st.text(st.characters(categories=["L", "Cs", "Cc"]))


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.text(), anything), surrogates)
def test_any_state_comes_back(
    tmp_path_factory: pytest.TempPathFactory, attributes: dict[str, Any], value: str
) -> None:
    path = tmp_path_factory.mktemp("store") / "earnest.db"

    async def there_and_back() -> State:
        kept = State(
            entity_id="x.y",
            state=value,
            attributes=attributes,
            last_changed=datetime.now(UTC),
            last_updated=datetime.now(UTC),
        )
        async with open_store(path) as store:
            store.keep(kept)
        async with open_store(path) as store:
            (back,) = await store.states()
        assert back.last_changed == kept.last_changed
        return back

    back = asyncio.run(there_and_back())
    assert back.attributes == attributes
    assert back.state == value.encode("utf-8", "replace").decode()


def test_a_hub_that_only_names_the_store_does_not_pay_for_it() -> None:
    code = "import sys, hub.store; print('sqlalchemy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"False\n"
