"""Finds what integrations say of their models, without loading the integrations."""

from __future__ import annotations

import importlib.util
import logging
from pathlib import Path

from hub.models.catalogue import Catalogue
from hub.models.published import is_safe

_log = logging.getLogger(__name__)
_SHIPPED = Path(__file__).parents[2] / "integrations"


def catalogues(config_dir: Path | None = None) -> tuple[Catalogue, ...]:
    """Return what integrations say of their models, in `catalogue.py`; loads nothing else of them.

    A user's own catalogue that cannot be read is left out; a log line says why.
    """
    folders = [_SHIPPED] + ([config_dir.absolute() / "integrations"] if config_dir else [])
    files = [file for folder in folders for file in sorted(folder.glob("*/catalogue.py"))]
    found = (_catalogue(file) for file in files if is_safe(file.parent.name))
    return tuple(one for one in found if one)


def _catalogue(file: Path) -> Catalogue | None:
    name = f"earnest_catalogues.{file.parent.name}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        return None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
        catalogue = module.CATALOGUE
    except (Exception, SystemExit) as error:  # noqa: BLE001  its bug must not hide the other catalogues
        _log.warning("%s is left out: %s", file, error)
        return None
    if isinstance(catalogue, Catalogue) and catalogue.integration == file.parent.name:
        return catalogue
    _log.warning("%s is left out: CATALOGUE must be a Catalogue of '%s'", file, file.parent.name)
    return None
