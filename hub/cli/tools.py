"""`earnest tools [PATTERN]`: what can be done."""

from __future__ import annotations

import argparse
import json
from typing import Any

from hub.cli import exits
from hub.cli.connect import connected
from hub.cli.listing import none_such, pattern_argument, picked, table
from hub.cli.turn import json_argument


def arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which tools."""
    pattern_argument(parser, "a tool's whole name shows its arguments")
    json_argument(parser)


def run(options: argparse.Namespace) -> int:
    """List the tools; 1 when there is none such."""
    with connected(options) as client:
        tools = picked(client.get("/api/tools"), options.pattern, "name")
    if options.json:
        for tool in tools:
            print(json.dumps(tool))
    elif len(tools) == 1 and tools[0]["name"] == options.pattern:
        print(_explained(tools[0]))
    else:
        table([(tool["name"], tool["effect"], tool["description"]) for tool in tools])
    return exits.DONE if tools else none_such("tool", options.pattern)


def _explained(tool: dict[str, Any]) -> str:
    lines = [f"{tool['name']}  {tool['description']}", f"  effect   {tool['effect']}"]
    if tool["targets"]:
        lines.append(f"  targets  {'anything' if tool['targets'] == '*' else tool['targets']}")
    schema = tool["parameters"]
    for name, part in schema.get("properties", {}).items():
        need = "needed" if name in schema.get("required", ()) else "optional"
        what = part.get("description") or part.get("type", "")
        lines.append(f"  --data {name}=…  {need}; {what}".rstrip("; "))
    return "\n".join(lines)
