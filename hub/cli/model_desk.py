"""What `earnest models` does, on the models' folder alone; a hub may run or not."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from hub.cli import exits
from hub.cli.folders import folders
from hub.cli.listing import picked, table
from hub.cli.main import complain
from hub.cli.model_house import ModelHouse
from hub.cli.model_progress import Meter
from hub.errors import ModelInUse, ModelUnknown
from hub.models.catalogue import Catalogue
from hub.models.catalogues import catalogues
from hub.models.install import install, megabytes
from hub.models.manifest import read
from hub.models.published import Downloadable
from hub.models.shelf import LOCK, Shelf
from hub.models.store import Models


class _Found(NamedTuple):
    """A model and whose it is."""

    catalogue: Catalogue
    model: Downloadable


class Desk:
    """Lists, fetches, removes and verifies for one house."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        where = folders(options)
        self._house = ModelHouse(where.config, where.data)
        self._shelf = Shelf(self._house.folder)
        wanted = options.integration
        every = catalogues(where.config)
        self._catalogues = [one for one in every if wanted in (None, one.integration)]
        if not self._catalogues:
            known = ", ".join(one.integration for one in every)
            raise ModelUnknown(f"no integration '{wanted}' has models; there are {known}")

    def list(self) -> int:
        """Show what there is; 1 when there is none such."""
        rows = picked(list(self._rows()), self._options.pattern, "name", "integration", "about")
        if language := self._options.language:
            rows = [row for row in rows if self._find(row["name"], row["integration"]).model.speaks(language)]
        if self._options.here:
            rows = [row for row in rows if row["here"]]
        if self._options.json:
            for row in rows:
                print(json.dumps(row))
        else:
            table([_cells(row) for row in rows])
        return exits.DONE if rows else exits.NOT_UNDERSTOOD

    def get(self) -> int:
        """Download each; what is here stays as it is."""
        import asyncio

        for found in [self._find(name) for name in self._options.names]:
            catalogue, model = found
            place = self._models.there(catalogue, model)
            if place is None or self._options.again:
                with Meter(model, plain=self._options.json) as meter:
                    errand = self._models.errand(catalogue, model, meter.watch, self._options.again)
                    place = asyncio.run(install(errand))
            self._say(found, "here", str(place))
        return exits.DONE

    def remove(self) -> int:
        """Remove each; raises `ModelInUse` before anything is removed."""
        every = [self._find(name) for name in self._options.names]
        for catalogue, model in every:
            user = None if self._options.force else self._users(catalogue).get(model.name)
            if user:
                raise ModelInUse(f"'{model.name}' is used by {user}; --force removes it all the same")
        gone = [self._remove(found) for found in every]
        return exits.DONE if all(gone) else exits.NOT_UNDERSTOOD

    def _remove(self, found: _Found) -> bool:
        from hub.models.hold import held_now

        catalogue, model = found
        place = self._shelf.place(catalogue.integration, model.name)
        if not place.exists():
            packaged = model.name in catalogue.packaged()
            why = "came with a package; pip removes that" if packaged else "was never downloaded"
            complain(f"'{model.name}' {why}")
            return False
        # the lock's file stays: who waits for it holds this one
        with held_now(place.with_name(model.name + LOCK)):
            freed = self._shelf.remove(catalogue.integration, model.name)
        self._say(found, "removed", f"{megabytes(freed)} are free again")
        return True

    def verify(self) -> int:
        """Compare the digests of what is here; 1 when something is not as it was."""
        from hub.models.verify import faults

        wrong = 0
        for integration, name, model in self._downloaded():
            place = self._shelf.place(integration, name)
            manifest = read(place)
            found = faults(place, manifest, model) if manifest else []
            state, text = ("whole", f"{len(manifest.files)} files") if manifest else ("unfinished", "")
            if found:
                state, text = "damaged", "; ".join(f"{fault.file} {fault.what}" for fault in found)
            wrong += bool(found)
            self._verdict(integration, name, state, text, manifest is None)
        return exits.NOT_UNDERSTOOD if wrong else exits.DONE

    @property
    def _models(self) -> Models:
        return Models(self._shelf, self._house.config, self._house.languages, os.environ)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for catalogue in self._catalogues:
            packaged, users = catalogue.packaged(), self._users(catalogue)
            for model in catalogue.models:
                yield self._row(catalogue, model, packaged.get(model.name), users.get(model.name))

    def _row(
        self, catalogue: Catalogue, model: Downloadable, packaged: Path | None, user: str | None
    ) -> dict[str, Any]:
        here = self._shelf.whole(catalogue.integration, model)
        place = here or packaged
        return {
            "integration": catalogue.integration,
            "name": model.name,
            "about": model.about,
            "languages": list(model.languages),
            "size": model.size,
            "here": "downloaded" if here else "packaged" if packaged else "",
            "begun": 0 if here else self._shelf.begun(catalogue.integration, model.name),
            "path": str(place) if place else None,
            "used_by": user,
        }

    def _users(self, catalogue: Catalogue) -> dict[str, str]:
        """Return the models of a catalogue that are used, and by whom."""
        packaged = catalogue.packaged()
        every = {model.name: model for model in catalogue.models}

        def is_here(name: str) -> bool:
            model = every.get(name)
            return name in packaged or bool(model and self._shelf.whole(catalogue.integration, model))

        return self._house.users(catalogue, is_here)

    def _find(self, name: str, integration: str | None = None) -> _Found:
        """Return the one model of this name; raises `ModelUnknown`, also where two are meant."""
        found: list[_Found] = []
        errors: list[ModelUnknown] = []
        for catalogue in self._catalogues:
            if integration in (None, catalogue.integration):
                try:
                    found.append(_Found(catalogue, catalogue.find(name)))
                except ModelUnknown as error:
                    errors.append(error)
        if not found:
            raise next((error for error in errors if "did you mean" in str(error)), errors[0])
        if len(found) > 1:
            owners = " and ".join(one.catalogue.integration for one in found)
            raise ModelUnknown(f"{owners} have a model '{name}'; say --integration")
        return found[0]

    def _downloaded(self) -> Iterator[tuple[str, str, Downloadable | None]]:
        """Yield integration, name and catalogue entry of what lies on the shelf and is asked for."""
        asked = {self._find(name).model.name for name in self._options.names}
        ours = {catalogue.integration: catalogue for catalogue in self._catalogues}
        missing = set(asked)
        for integration, name in self._shelf.models():
            catalogue = ours.get(integration)
            if catalogue is None or (asked and name not in asked):
                continue
            missing.discard(name)
            yield integration, name, next((one for one in catalogue.models if one.name == name), None)
        for name in sorted(missing):
            complain(f"'{name}' was never downloaded")

    def _say(self, found: _Found, state: str, text: str) -> None:
        catalogue, model = found
        told = {"integration": catalogue.integration, "name": model.name, "state": state, "text": text}
        print(json.dumps(told) if self._options.json else f"{model.name}: {state} ({text})")

    def _verdict(self, integration: str, name: str, state: str, text: str, begun: bool) -> None:
        again = "" if begun else " --again"
        advice = f"earnest models get{again} {name}" if state != "whole" else ""
        told = {"integration": integration, "name": name, "state": state, "text": text, "advice": advice}
        line = f"{state:10} {name:32} {text}" + (f"\n{'':10} → {advice}" if advice else "")
        print(json.dumps(told) if self._options.json else line.rstrip(), flush=True)


def _cells(row: dict[str, Any]) -> tuple[object, ...]:
    begun = f"begun, {100 * row['begun'] // row['size']} %" if row["begun"] and not row["here"] else ""
    used = f"used by {row['used_by']}" if row["used_by"] else ""
    languages = " ".join(row["languages"]) or "many"
    state = ", ".join(filter(None, (row["here"] or begun, used)))
    return row["name"], megabytes(row["size"]), languages, row["about"], state
