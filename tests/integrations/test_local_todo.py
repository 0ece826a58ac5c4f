from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from hub.config.schema import parse
from hub.config.source import load
from hub.errors import IntegrationError
from integrations.local_todo import Options, setup
from integrations.local_todo.items import Item
from tests.integrations.furnished import Furnished, furnished

LIST = "todo.shopping_list"


@pytest_asyncio.fixture
async def home(tmp_path: Path) -> AsyncIterator[Furnished]:
    """A house with a shopping list."""
    async with furnished(setup, Options(), tmp_path) as home:
        yield home


async def items(home: Furnished, *status: str) -> list[dict[str, Any]]:
    """Return what is on the list."""
    given = {"status": list(status)} if status else {}
    answer = await home.do("todo.get_items", LIST, **given)
    found: list[dict[str, Any]] = answer["items"]
    return found


async def summaries(home: Furnished, *status: str) -> list[str]:
    """Return the words on the list."""
    return [item["summary"] for item in await items(home, *status)]


async def test_items_are_added_completed_renamed_and_removed(home: Furnished) -> None:
    for word in ("Milk", "bread", "apples"):
        await home.do("todo.add_item", LIST, item=word)
    assert home.state(LIST) == "3"
    await home.do("todo.update_item", LIST, item="milk", status="completed")
    await home.do("todo.update_item", LIST, item=" BREAD ", rename="white bread")
    await home.do("todo.remove_item", LIST, item="apples")
    assert await summaries(home) == ["white bread"]
    assert await summaries(home, "completed") == ["Milk"]
    assert home.state(LIST) == "1"
    await home.do("todo.remove_completed_items", LIST)
    assert await summaries(home, "completed", "needs_action") == ["white bread"]


async def test_an_item_may_have_a_date_and_a_story(home: Furnished) -> None:
    await home.do("todo.add_item", LIST, item="taxes", due_date="2027-05-31", description="both of us")
    (item,) = await items(home)
    assert (item["due"], item["description"], item["status"]) == ("2027-05-31", "both of us", "needs_action")
    await home.do("todo.update_item", LIST, item=item["uid"], due_datetime="2027-06-01T18:00")
    (item,) = await items(home)
    assert item["due"] == "2027-06-01T18:00:00"


async def test_of_equal_words_the_open_item_is_meant(home: Furnished) -> None:
    await home.do("todo.add_item", LIST, item="milk")
    await home.do("todo.update_item", LIST, item="milk", status="completed")
    await home.do("todo.add_item", LIST, item="milk")
    await home.do("todo.update_item", LIST, item="milk", status="completed")
    assert await summaries(home, "completed") == ["milk", "milk"]


async def test_what_is_not_on_the_list_is_said(home: Furnished) -> None:
    await home.do("todo.add_item", LIST, item="milk")
    assert await home.failure("todo.update_item", LIST, item="tea", status="completed") == (
        "There is no 'tea' on the list."
    )
    assert "no 'tea'" in await home.failure("todo.remove_item", LIST, item=["milk", "tea"])
    assert "what is to change" in await home.failure("todo.update_item", LIST, item="milk")
    assert await summaries(home) == ["milk"]


async def test_a_full_list_says_so(home: Furnished, tmp_path: Path) -> None:
    many = [Item(uid=str(number), summary=f"item {number}").plain() for number in range(1000)]
    (tmp_path / "local_todo").mkdir()
    (tmp_path / "local_todo" / "full.json").write_text(json.dumps(many))
    async with furnished(setup, Options(lists={"full": "Full"}), tmp_path) as other:
        assert "1000 items" in await other.failure("todo.add_item", "todo.full", item="one more")


async def test_lists_survive_a_restart_each_for_itself(tmp_path: Path) -> None:
    options = Options(lists={"shopping_list": "Shopping list", "chores": "Chores"})
    async with furnished(setup, options, tmp_path) as home:
        await home.do("todo.add_item", LIST, item="Crème \u2028 fraîche")
        await home.do("todo.add_item", "todo.chores", item="windows")
        await home.do("todo.update_item", "todo.chores", item="windows", status="completed")
    async with furnished(setup, options, tmp_path) as home:
        assert await summaries(home) == ["Crème \u2028 fraîche"]
        assert (home.state(LIST), home.state("todo.chores")) == ("1", "0")
        assert home.house.things["todo.chores"].name == "Chores"


async def test_items_added_at_the_same_time_are_all_there(tmp_path: Path) -> None:
    words = {f"item {number}" for number in range(20)}
    async with furnished(setup, Options(), tmp_path) as home:
        await asyncio.gather(*(home.do("todo.add_item", LIST, item=word) for word in words))
    async with furnished(setup, Options(), tmp_path) as home:
        assert set(await summaries(home)) == words


async def test_a_cancelled_change_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    async with furnished(setup, Options(), tmp_path) as home:
        perform = home.house.things[LIST].perform
        assert perform

        async def add(number: int) -> None:
            await perform("add_item", {"item": f"item {number}"})

        for number in range(10):
            adding = asyncio.create_task(add(number))
            for _ in range(number):
                await asyncio.sleep(0)
            adding.cancel()
            with pytest.raises(asyncio.CancelledError):
                await adding
        await home.do("todo.add_item", LIST, item="last")
        held = await summaries(home)
    assert held[-1] == "last"
    async with furnished(setup, Options(), tmp_path) as home:
        assert await summaries(home) == held


async def test_a_list_that_cannot_be_saved_does_not_change(home: Furnished, tmp_path: Path) -> None:
    await home.do("todo.add_item", LIST, item="milk")
    (tmp_path / "local_todo" / "shopping_list.json.new").mkdir()
    assert await home.failure("todo.add_item", LIST, item="bread") == "The list cannot be saved."
    assert (await summaries(home), home.state(LIST)) == (["milk"], "1")


@pytest.mark.parametrize(
    "text", ["", "{", "{}", "[1]", '[{"uid": "a"}]', '[{"uid": "a", "summary": 3}]', "[" * 9999]
)
async def test_a_damaged_file_is_moved_aside(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "local_todo"
    folder.mkdir()
    (folder / "shopping_list.json").write_text(text)
    async with furnished(setup, Options(), tmp_path) as home:
        assert await summaries(home) == []
    moved = [path for path in folder.iterdir() if ".damaged-" in path.name]
    assert [path.read_text() for path in moved] == [text]
    assert "damaged" in caplog.text


async def test_a_file_that_cannot_be_read_keeps_the_list_away(tmp_path: Path) -> None:
    (tmp_path / "local_todo" / "shopping_list.json").mkdir(parents=True)
    with pytest.raises(IntegrationError, match="cannot be read"):
        async with furnished(setup, Options(), tmp_path):
            pass


def test_a_killed_hub_leaves_a_whole_list_with_all_that_was_answered(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from integrations.local_todo.file import save\n"
        "from integrations.local_todo.items import add\n"
        "items = ()\n"
        "while True:\n"
        "    items = add(items, {'item': str(len(items))})[-200:]\n"
        "    save(Path(sys.argv[1]), items)\n"
        "    sys.stdout.write('.')\n"
        "    sys.stdout.flush()\n"
    )
    path = tmp_path / "list.json"
    for saved in (1, 40, 150):
        with subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE) as process:
            assert process.stdout
            process.stdout.read(saved)
            process.send_signal(signal.SIGKILL)
        assert len(json.loads(path.read_text())) >= saved


@pytest.mark.parametrize("text", ["{lists: {Shopping: x}}", "{lists: {'../x': x}}", "{lists: {'': x}}"])
def test_the_id_of_a_list_is_a_plain_word(tmp_path: Path, text: str) -> None:
    (tmp_path / "todo.yaml").write_text(text)
    options, problems = parse(Options, load(tmp_path / "todo.yaml"))
    assert options is None
    assert "is no id for a list" in str(problems[0])
