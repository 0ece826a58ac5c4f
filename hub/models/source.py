"""Where a file is asked for: at its publisher, or at a mirror that stands in for it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from hub.errors import DownloadFailed

_HUGGING_FACE = "huggingface.co"


def mirrors(configured: Mapping[str, str], environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the mirrors by host: those of the YAML, and `HF_ENDPOINT` where it says nothing."""
    endpoint = environ.get("HF_ENDPOINT", "").strip()
    if not endpoint or _HUGGING_FACE in configured:
        return configured
    if urlsplit(endpoint).scheme not in ("http", "https"):
        raise DownloadFailed(f"HF_ENDPOINT is '{endpoint}', which is no http or https address")
    return {**configured, _HUGGING_FACE: endpoint}


def mirrored(url: str, mirrors: Mapping[str, str]) -> str:
    """Return the address at which to ask for `url`."""
    address = urlsplit(url)
    mirror = mirrors.get(address.hostname or "")
    if mirror is None:
        return url
    return mirror.rstrip("/") + address.path + (f"?{address.query}" if address.query else "")
