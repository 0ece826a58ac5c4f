"""Libraries that report to their makers are told not to; nothing leaves the house."""

from __future__ import annotations

import os
from collections.abc import Mapping, MutableMapping
from types import MappingProxyType

SILENT: Mapping[str, str] = MappingProxyType(
    {
        "ORT_DISABLE_TELEMETRY": "1",  # onnxruntime 1.32 sends events, and keeps an id of the machine
        "HF_HUB_DISABLE_TELEMETRY": "1",  # huggingface_hub, which faster-whisper brings
    }
)
"""Environment variables that switch reporting off; they count when the library is loaded."""


def keep_private(environ: MutableMapping[str, str] = os.environ) -> None:
    """Set them for this process and for those that it starts."""
    environ.update(SILENT)
