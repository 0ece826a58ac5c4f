from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from hub.intents.deeds import DEEDS, UNSUPPORTED
from hub.intents.plan import SUPPORTED
from hub.values.intent import Match, Miss
from hub.values.tool import Done
from tests.intents.homes import Home, at_home, cases, session

SUPPORTED_CASES = [case for case in cases() if case["intent"] in SUPPORTED]


@pytest.fixture(scope="module")
def home() -> Home:
    return Home()


def wrong(case: Mapping[str, Any], answer: Match | Miss) -> Iterator[str]:
    """Yield what is not as the sentence's authors expect it."""
    if isinstance(answer, Miss):
        yield f"{answer.code}: {answer.reason}"
        return
    if answer.intent != case["intent"]:
        yield f"intent {answer.intent}"
    for slot, expected in case["slots"].items():
        allowed = expected if isinstance(expected, list) else [expected]
        if answer.slots.get(slot) not in allowed:
            yield f"{slot} is {answer.slots.get(slot)!r}, not {expected!r}"
    if case["intent"] in DEEDS and not answer.calls:
        yield "nothing is called"


async def test_every_supported_sentence_has_its_intent_its_slots_and_its_calls(home: Home) -> None:
    failures = []
    for case in SUPPORTED_CASES:
        with at_home(home, case):
            answer = await home.intents.recognize(case["sentence"], session(case))
        failures += [f"{case['sentence']}: {what}" for what in wrong(case, answer)]
    assert len(SUPPORTED_CASES) > 700
    assert failures == []


async def test_every_supported_sentence_has_the_published_answer(home: Home) -> None:
    failures = []
    for case in SUPPORTED_CASES:
        if "reply" not in case or case["intent"] == "HassRespond":
            continue
        with at_home(home, case):
            answer = await home.intents.recognize(case["sentence"], session(case))
            assert isinstance(answer, Match)
            done = [Done(call=call, targets=call.target.entities) for call in answer.calls]
            reply = answer.respond(done)
        expected = case["reply"].replace("twenty point five", "20.5")
        if reply != expected:
            failures.append(f"{case['sentence']}: {reply!r}, not {expected!r}")
    assert failures == []


async def test_what_is_not_supported_says_so(home: Home) -> None:
    others = [case for case in cases() if case["intent"] not in SUPPORTED]
    failures = []
    for case in others:
        with at_home(home, case):
            answer = await home.intents.recognize(case["sentence"], session(case))
        if isinstance(answer, Match) or answer.code != "unsupported" or not answer.reply:
            failures.append(f"{case['sentence']}: {answer}")
    assert {case["intent"] for case in others} == set(UNSUPPORTED)
    assert failures == []
