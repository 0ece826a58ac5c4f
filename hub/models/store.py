"""The models that an integration may ask for: found where they lie, else fetched."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hub.errors import IntegrationError, ModelError, ModelUnknown
from hub.models.catalogue import Catalogue, Choice, Surroundings
from hub.models.install import Errand, Progress, Watch, install, megabytes
from hub.models.published import Downloadable
from hub.models.shelf import Shelf
from hub.models.source import mirrors

if TYPE_CHECKING:
    from hub.models.config import ModelsConfig

_log = logging.getLogger(__name__)

Health = Callable[[Mapping[str, Any]], None]


class Models:
    """One house's models. `languages` are those spoken in the house, its own first."""

    def __init__(
        self,
        shelf: Shelf,
        config: ModelsConfig,
        languages: tuple[str, ...] = ("en",),
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.shelf = shelf
        self._config = config
        self._languages = languages
        self._environ = environ

    @property
    def surroundings(self) -> Surroundings:
        """What `auto` chooses by."""
        from hub.models.memory import installed

        return Surroundings(memory=installed(), languages=self._languages)

    def there(self, catalogue: Catalogue, model: Downloadable) -> Path | None:
        """Return the folder of a model that is here: downloaded, else brought by a package."""
        return self.shelf.whole(catalogue.integration, model) or catalogue.packaged().get(model.name)

    async def ensure(self, catalogue: Catalogue, name: str, health: Health) -> Path:
        """Return the folder of a model, downloading it if need be; `health` is told how far it is.

        Raises `IntegrationError` naming the command that fetches it.
        """
        try:
            model = catalogue.find(name)
            if found := self.there(catalogue, model):
                return found
            if not self._config.download:
                raise ModelError("downloads are off (models.download)")
            return await self._download(catalogue, model, health)
        except ModelError as error:
            raise IntegrationError(self._advice(catalogue, name, error)) from error

    async def best(self, catalogue: Catalogue, choice: Choice, health: Health) -> tuple[str, Path]:
        """Return name and folder of the first of a choice; where it cannot be had, of the first that is here.

        Tells `health` what was taken and why; raises `IntegrationError` when none can be had.
        """
        first = choice.names[0]
        try:
            folder = await self.ensure(catalogue, first, health)
            health({"model": first, "model_why": choice.why})
            return first, folder
        except IntegrationError as error:
            for name in choice.names[1:]:
                if found := self.there(catalogue, catalogue.find(name)):
                    health({"model": name, "model_why": f"{choice.why}, but it is not here: {error}"})
                    _log.warning("%s uses '%s' for now: %s", catalogue.integration, name, error)
                    return name, found
            raise

    def errand(self, catalogue: Catalogue, model: Downloadable, watch: Watch, anew: bool = False) -> Errand:
        """Return the errand that brings a model."""
        return Errand(
            shelf=self.shelf,
            integration=catalogue.integration,
            model=model,
            mirrors=mirrors(self._config.mirrors, self._environ),
            limits=self._config.limits,
            watch=watch,
            anew=anew,
        )

    async def _download(self, catalogue: Catalogue, model: Downloadable, health: Health) -> Path:
        _log.info("downloading '%s' for %s (%s)", model.name, catalogue.integration, megabytes(model.size))
        said: list[object] = []

        def watch(progress: Progress) -> None:
            shown = {"model": progress.model, "percent": progress.percent}
            if progress.waits_for:
                shown["waits_for_process"] = progress.waits_for
            if said != [shown]:
                said[:] = [shown]
                health({"downloading": shown})

        try:
            folder = await install(self.errand(catalogue, model, watch))
        finally:
            health({"downloading": None})
        _log.info("'%s' is here", model.name)
        return folder

    def _advice(self, catalogue: Catalogue, name: str, error: ModelError) -> str:
        if isinstance(error, ModelUnknown):
            return str(error)
        return f"the {catalogue.option} '{name}' is not here: {error}; `earnest models get {name}` fetches it"
