"""Whether a call may run: caller, tool, arguments, targets, effect, then the rules of the house."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from hub.config.schema import arguments, near
from hub.door.limits import DoorLimits
from hub.door.mask import Mask
from hub.door.policy import Policy, effect_on
from hub.door.targets import NoTarget, Targets, quoted
from hub.door.wish import Wish
from hub.values.thing import Thing
from hub.values.tool import Caller, Refused, Tool, ToolCall

_MOST_NAMES = 3


class Admission:
    """Understands calls and judges them; does nothing and waits for nothing."""

    def __init__(
        self, tools: Mapping[str, Tool], targets: Targets, policy: Policy, limits: DoorLimits
    ) -> None:
        self.policy = policy
        self._tools = tools
        self._targets = targets
        self._limits = limits

    def understand(self, call: ToolCall, caller: Caller) -> Wish | Refused:
        """Return what the call would do to which things, or why it can do nothing."""
        if not caller.links or not all(link.strip() for link in caller.links):
            return Refused(call=call, code="unknown-caller", reason="Nobody says who asks for this.")
        if len(caller.links) > self._limits.most_hops:
            reason = f"This call was passed on {len(caller.links) - 1} times: something calls itself."
            return Refused(call=call, code="too-many-hops", reason=reason)
        tool = self._tools.get(call.tool)
        if tool is None:
            reason = f"There is no tool {quoted(call.tool)}{near(call.tool, self._tools) or '.'}"
            return Refused(call=call, code="unknown-tool", reason=reason)
        mask = Mask.over(tool.parameters, call.arguments)
        try:
            return self._wish(call, caller, tool, mask)
        except ValueError as wrong:
            reason = mask.text(f"{tool.name}: {wrong}")
            return Refused(call=call, code="bad-arguments", reason=reason)
        except NoTarget as missing:
            return Refused(call=call, code=missing.code, reason=str(missing))

    def _wish(self, call: ToolCall, caller: Caller, tool: Tool, mask: Mask) -> Wish:
        given = {name: value for name, value in call.arguments.items() if value is not None}
        valid = arguments(tool.parameters, given)
        tool.parameters(**valid)
        things = self._things(tool, call)
        return Wish(
            call=replace(call, arguments=MappingProxyType(valid)),
            tool=tool,
            things=things,
            effect=max(effect_on(tool, thing) for thing in things or (None,)),
            caller=caller,
            mask=mask,
            shown=mask.value(valid),
        )

    def _things(self, tool: Tool, call: ToolCall) -> tuple[Thing, ...]:
        if tool.targets is not None:
            return self._targets.resolve(tool, call.target)
        if call.target:
            raise ValueError("takes no target")
        return ()

    def judge(self, wish: Wish) -> Refused | None:
        """Return the refusal if a rule of the house denies the wish."""
        verdict = self.policy.judge(wish.tool, wish.things, wish.caller)
        if verdict.then == "allow":
            return None
        names = [thing.name for thing in verdict.things[:_MOST_NAMES]]
        names += ["…"] if len(verdict.things) > _MOST_NAMES else []
        on = f" on {', '.join(names)}" if names else ""
        reason = f"The rules of this house do not allow {wish.caller} to use {wish.tool.name}{on}."
        return Refused(call=wish.call, code="denied", reason=reason, targets=wish.targets)
