"""What the configuration says of models: where they lie, who uses which; read without the rest of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hub.errors import ConfigError
from hub.lock import whole
from hub.models.catalogue import Catalogue, Surroundings
from hub.models.config import ModelsConfig
from hub.models.memory import installed
from hub.models.shelf import folder_of


class ModelHouse:
    """One house's `models:`, its languages, and its instances that use models.

    A configuration that is not in order says what it can; only its `models:` must be.
    """

    def __init__(self, config_dir: Path, data: Path) -> None:
        from hub.config.schema import parse
        from hub.config.source import HOLE, read, unmarked

        whole(data)
        path = config_dir / "earnest.yaml"
        document = read(path) if path.is_file() else unmarked({})
        root = document.data if isinstance(document.data, dict) else {}
        problems = list(document.problems)
        config = None
        if root.get("models") is not HOLE:
            config, problems = parse(ModelsConfig, document, ("models",))
        if config is None:
            raise ConfigError(problems)
        self.config = config
        self.folder = folder_of(config, config_dir, data / "cache")
        self._root = root
        self._around = Surroundings(memory=installed(), languages=self.languages)

    @property
    def languages(self) -> tuple[str, ...]:
        """Spoken in this house, its own first."""
        own = _mapping(self._root.get("hub")).get("language") or "en"
        others = [_mapping(one).get("language") for one in _mapping(self._root.get("pipelines")).values()]
        return tuple(dict.fromkeys(map(str, filter(None, (own, *others)))))

    def users(self, catalogue: Catalogue, is_here: Callable[[str], bool]) -> dict[str, str]:
        """Return the models that instances use, and the first instance of each.

        Of what `auto` weighs that is its first choice, and the first that is here, which stands in for it.
        """
        found: dict[str, str] = {}
        for name, entry in _mapping(self._root.get("integrations")).items():
            options = _mapping(entry)
            if options.get("type") != catalogue.integration:
                continue
            try:
                wanted = catalogue.wanted(options, self._around)
            except (ValueError, TypeError, AttributeError):
                continue
            for model in (wanted[0], *list(filter(is_here, wanted))[:1]):
                found.setdefault(model, str(name))
        return found


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
