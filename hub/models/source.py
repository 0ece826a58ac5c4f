"""Where a file is asked for: at its publisher, or at a mirror that stands in for it."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from hub.errors import DownloadFailed

_HUGGING_FACE = "huggingface.co"


def mirrors(configured: Mapping[str, str], environ: Mapping[str, str]) -> Mapping[str, str]:
    """Return the mirrors by host: those of the YAML, and `HF_ENDPOINT` where it says nothing."""
    known = {name.lower(): mirror for name, mirror in configured.items()}
    endpoint = environ.get("HF_ENDPOINT", "").strip()
    if not endpoint or _HUGGING_FACE in known:
        return known
    if not stands_in(endpoint):
        raise DownloadFailed(f"HF_ENDPOINT is '{endpoint}', which is no http or https address")
    return {**known, _HUGGING_FACE: endpoint}


def scheme(address: str) -> str:
    """Return `http` or `https` if somebody can be asked at this address, else nothing."""
    try:
        parts = urlsplit(address)
        is_one = bool(parts.hostname) and parts.port != 0
    except ValueError:
        return ""
    return parts.scheme if is_one and parts.scheme in ("http", "https") else ""


def stands_in(address: str) -> bool:
    """Whether paths can follow this address."""
    return bool(scheme(address)) and not any(one in address for one in "?# ")


def mirrored(url: str, mirrors: Mapping[str, str]) -> str:
    """Return the address at which to ask for `url`."""
    address = urlsplit(url)
    mirror = mirrors.get(address.hostname or "")
    if mirror is None:
        return url
    return mirror.rstrip("/") + address.path + (f"?{address.query}" if address.query else "")
