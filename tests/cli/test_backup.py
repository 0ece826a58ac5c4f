"""A house is packed while its hub runs, and is the same house elsewhere."""

from __future__ import annotations

import io
import json
import os
import shlex
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from hub.backup.pack import House as Wanted
from hub.backup.pack import pack
from tests.cli.conftest import HOUSE, PATIENCE, House, complaint, make_house, started

LIVED_IN = (
    HOUSE.replace("integrations:\n", "integrations:\n  lists: {type: local_todo}\n")
    + """\
commands:
  bedtime:
    phrases: [time for bed]
    action: {action: light.turn_on, target: {area_id: garage}}
    reply: Sleep well.
things:
  lock.front_door: {name: Big door}
limits: {flush_interval: 0.05}
"""
)


def told(house: House) -> dict[str, Any]:
    """Return what a hub of this house says of it: things, names, rooms, states, lists, tools."""
    things = {
        thing["id"]: (thing["name"], thing["area_name"], thing["state"])
        for thing in house.lines("things", "--json")
    }
    shopping = house.lines("call", "todo.get_items", "--target", "shopping list", "--json")[-1]
    tools = [tool["name"] for tool in house.lines("tools", "--json")]
    return {"things": things, "shopping": shopping["result"], "tools": tools}


def wait_until_kept(house: House, entity: str, state: str) -> None:
    """Return when a state is in the database, `flush_interval` after it came."""
    question = "SELECT state FROM states WHERE entity_id = ?"
    with closing(sqlite3.connect(house.data / "earnest.db")) as database:
        while database.execute(question, (entity,)).fetchone() != (state,):
            pass


def audit(house: House) -> list[dict[str, Any]]:
    """Return every line of the audit."""
    files = sorted((house.data / "audit").glob("*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def test_a_house_is_the_same_on_another_machine(folder: Path) -> None:
    house, archive = make_house(folder, LIVED_IN), str(folder / "house.tar.gz")
    (house.config / "secrets.yaml").write_text("pin: 1234\n")
    (folder / "moved").mkdir()
    other = House(folder / "moved" / "here", folder / "moved" / "data")
    with started(house):
        assert house.run("ask", "time for bed").returncode == 0
        assert house.run("ask", "add milk to my shopping list").returncode == 0
        named = ("house.update_thing", "--target", "kitchen lamp", "--data", "name=Hob light")
        assert house.run("call", *named).returncode == 0
        assert house.run("call", "light.turn_on", "--target", "hob light").returncode == 0
        before = told(house)
        wait_until_kept(house, "light.kitchen_lamp", "on")
        packed = house.run("backup", archive)
        assert packed.returncode == 0, packed.stderr
        assert "secrets.yaml is in it" in packed.stderr
        done = audit(house)
        refused = house.run("restore", archive)
        assert refused.returncode == 2
        assert "already works with" in complaint(refused)
    restored = other.run("restore", archive)
    assert restored.returncode == 0, restored.stderr
    assert audit(other) == done[: len(audit(other))]
    assert len(audit(other)) > 4
    with started(other):
        assert told(other) == before
        assert other.run("ask", "time for bed").stdout.count("Sleep well.") == 1
        assert other.run("ask", "turn off the hob light").returncode == 0
    assert (other.config / "secrets.yaml").read_text() == "pin: 1234\n"


def test_it_goes_through_pipes_without_secrets_and_is_looked_at_first(folder: Path) -> None:
    house = make_house(folder)
    (house.config / "secrets.yaml").write_text("pin: 1234\n")
    out = subprocess.run(
        house.command("backup", "-", "--no-secrets"), capture_output=True, timeout=PATIENCE, check=True
    ).stdout
    (folder / "moved").mkdir()
    other = House(folder / "moved" / "config", folder / "moved" / "data")
    looked = other.run("restore", "-", "--dry-run", stdin=out)
    assert looked.returncode == 0, looked.stderr
    assert "config/earnest.yaml" in looked.stdout
    assert "secrets" not in looked.stdout
    assert os.listdir(folder / "moved") == []
    restored = other.run("restore", "-", stdin=out)
    assert "The backup is without secrets" in restored.stdout
    assert (other.config / "earnest.yaml").read_bytes() == (house.config / "earnest.yaml").read_bytes()


def test_what_an_archive_says_moves_no_cursor(folder: Path) -> None:
    house = make_house(folder)
    (house.config / "\x1b[31mred\n fake").write_text("")
    archive = str(folder / "x.tar.gz")
    out = io.BytesIO()
    pack(Wanted(config=house.config, data=house.data, models=("\x1b]0;title\x07",)), out)
    Path(archive).write_bytes(out.getvalue())
    for words in (("restore", archive, "--dry-run"), ("restore", archive)):
        shown = house.run(*words)
        assert shown.returncode == 0, shown.stderr
        assert all(line.isprintable() for line in shown.stdout.splitlines())
        assert "red fake" in shown.stdout or "title" in shown.stdout


def test_a_working_folder_that_is_gone_is_a_sentence(folder: Path) -> None:
    house = make_house(folder)
    gone = f"mkdir gone && cd gone && rmdir ../gone && exec {shlex.join(house.command('backup', 'x.tar.gz'))}"
    ended = subprocess.run(
        ["sh", "-c", gone], cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert ended.returncode == 2
    assert "the folder you are in is gone; name x.tar.gz with its whole path" in complaint(ended)


def test_what_cannot_be_restored_is_one_sentence_and_a_code(folder: Path) -> None:
    house = make_house(folder)
    (folder / "photo.jpg").write_bytes(os.urandom(1000))
    for words in (("photo.jpg",), ("missing.tar.gz",), ()):
        ended = house.run("restore", *words)
        assert ended.returncode == 2
        assert complaint(ended)
    assert "no backup of Earnest" in complaint(house.run("restore", "photo.jpg"))
    assert "there is no folder" in complaint(house.run("backup", "nowhere/x.tar.gz"))
    assert "is there already" in complaint(house.run("backup", "photo.jpg"))
    assert "there is no earnest.yaml" in complaint(House(folder, folder / "x").run("backup", "x.tar.gz"))


def test_a_hub_does_not_start_on_half_a_house(folder: Path) -> None:
    house = make_house(folder)
    house.data.mkdir()
    (house.data / "restore.unfinished").write_text("[]")
    main = (house.config / "earnest.yaml").rename(folder / "aside.yaml")
    verbs = (
        ("run",),
        ("run", "--init"),
        ("ask", "hello"),
        ("backup", "x.tar.gz"),
        ("check",),
        ("models", "list"),
    )
    for verb in verbs:
        ended = house.run(*verb)
        assert ended.returncode == 2, verb
        assert "`earnest restore` puts the house back" in ended.stderr, verb
    main.rename(house.config / "earnest.yaml")
    undone = house.run("restore")
    assert (undone.returncode, "is undone" in undone.stdout) == (0, True)
    assert house.run("check").returncode == 0
