"""Small houses to pack, and what is in them."""

from __future__ import annotations

import io
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hub.backup.pack import House, pack


@dataclass(frozen=True, slots=True)
class Place:
    """The two folders of a house."""

    config: Path
    data: Path

    def contents(self) -> dict[str, bytes]:
        """Return every file by its name, without those that belong to the machine."""
        files: dict[str, bytes] = {}
        for root, folder in (("config", self.config), ("data", self.data)):
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder).as_posix()
                if path.is_file() and not name.startswith((".", "earnest.lock", "cache")):
                    files[f"{root}/{name}"] = dumped(path) if path.suffix == ".db" else path.read_bytes()
        return files


def dumped(path: Path) -> bytes:
    """Return what a database says; its bytes differ from copy to copy."""
    with closing(sqlite3.connect(path)) as database:
        return "\n".join(database.iterdump()).encode()


def place(folder: Path) -> Place:
    """Return the folders of a house that is not there yet."""
    return Place(folder / "config", folder / "data")


def furnished(folder: Path, word: str = "old") -> Place:
    """Make a house of a few files; each holds `word`."""
    made = place(folder)
    files = {
        made.config / "earnest.yaml": f"hub: {{name: {word}}}\n",
        made.config / "secrets.yaml": f"mqtt: {word}\n",
        made.config / "parts" / "lights.yaml": f"- {word}\n",
        made.data / "audit" / "2026-11-30.jsonl": f'{{"text": "{word}"}}\n',
        made.data / "local_todo" / "list.json": f'["{word}"]',
        made.data / "cache" / "models" / "piper" / "big" / "voice.onnx": "a big model",
        made.data / "earnest.lock": "1\n",
    }
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    with closing(sqlite3.connect(made.data / "earnest.db")) as database, database:
        database.execute("CREATE TABLE states (entity_id TEXT, state TEXT)")
        database.execute("INSERT INTO states VALUES ('light.lamp', ?)", (word,))
        database.execute("PRAGMA user_version=1")
    return made


def packed(house: Place, secrets: bool = True) -> bytes:
    """Return the backup of a house."""
    out = io.BytesIO()
    pack(House(config=house.config, data=house.data, secrets=secrets), out)
    return out.getvalue()
