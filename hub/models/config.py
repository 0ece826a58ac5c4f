"""What the user says of models: `models:` in the YAML."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import voluptuous as vol

from hub.config.record import BESIDE
from hub.models.source import stands_in

_HOST = re.compile(r"[A-Za-z0-9.-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class DownloadLimits:
    """Waits and sizes of a download."""

    connect: Annotated[float, vol.Range(min=0.1, max=600)] = 10.0
    """Seconds until a connection must stand."""
    stall: Annotated[float, vol.Range(min=0.1, max=3600)] = 30.0
    """Seconds without a byte after which a connection is given up and begun anew where it stopped."""
    retries: Annotated[int, vol.Range(min=0, max=1000)] = 5
    """How often in a row a download may fail without getting on before it is given up."""
    retry_first: Annotated[float, vol.Range(min=0, max=3600)] = 1.0
    """Seconds of pause after the first failure; it doubles each time."""
    retry_longest: Annotated[float, vol.Range(min=0, max=3600)] = 60.0
    """Longest pause in seconds, whatever a server asks for."""
    redirects: Annotated[int, vol.Range(min=0, max=50)] = 5
    """How often a server may point elsewhere; never from https to http."""
    wait_for_other: Annotated[float, vol.Range(min=0, max=86400)] = 1800.0
    """Seconds to wait for another process that downloads the same model."""
    keep_free: Annotated[int, vol.Range(min=0)] = 200
    """MB of the disk that a download leaves free."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelsConfig:
    """Where models come from and lie; raises `ValueError` for a mirror that is none."""

    download: bool = True
    """Whether an integration may fetch a model that is not here when it opens; `earnest models get` always
    may."""
    folder: Path | None = None
    """Where models lie, absolute or below the configuration; not set: `cache/models` in the data folder. It
    may be read-only when all is there."""
    mirrors: Mapping[str, str] = field(default_factory=dict)
    """Addresses that stand in for a publisher's, by its host: `huggingface.co: https://mirror.lan/hf`. Not
    set: the environment variable `HF_ENDPOINT`, if there is one, stands in for huggingface.co."""
    limits: Annotated[DownloadLimits, BESIDE] = field(default_factory=DownloadLimits)

    def __post_init__(self) -> None:
        for host, mirror in self.mirrors.items():
            if not _HOST.fullmatch(host):
                raise ValueError(f"mirrors: '{host}' is no publisher's host; write it like huggingface.co")
            if not stands_in(mirror):
                raise ValueError(
                    f"mirrors.{host}: '{mirror}' is no http or https address that paths can follow"
                )
