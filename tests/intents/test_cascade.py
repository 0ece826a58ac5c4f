from __future__ import annotations

from dataclasses import dataclass

from hub.errors import EngineUnavailable
from hub.intents.cascade import Understood, understand
from hub.stages.intents import IntentRecognizer
from hub.values.intent import Match, Miss
from hub.values.session import Session

SESSION = Session(id="test")


@dataclass
class Scripted:
    """Answers what it was told to, or fails so."""

    answer: Match | Miss | BaseException
    asked: int = 0

    async def recognize(self, text: str, session: Session) -> Match | Miss:
        self.asked += 1
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer


def match(stage: str, score: float = 1.0) -> Match:
    return Match(stage=stage, intent=f"{stage}-intent", score=score, respond=lambda _: "")


def miss(stage: str, reply: str | None = None) -> Miss:
    return Miss(stage=stage, code="no-match", reason="not mine", reply=reply)


async def cascade(*stages: Scripted, text: str = "go") -> Understood:
    named: list[tuple[str, IntentRecognizer]] = [(f"s{n}", stage) for n, stage in enumerate(stages)]
    return await understand(named, text, SESSION)


async def test_the_first_match_counts_and_earlier_misses_keep_their_reasons() -> None:
    last = Scripted(match("c"))
    found = await cascade(Scripted(miss("a")), Scripted(match("b")), last)
    assert (found.match and found.match.stage, [one.stage for one in found.misses]) == ("b", ["a"])
    assert last.asked == 0


async def test_a_whole_sentence_beats_a_mere_beginning_of_an_earlier_stage() -> None:
    found = await cascade(Scripted(match("a", 0.5)), Scripted(match("b")))
    assert (found.match and found.match.stage) == "b"
    assert [(one.stage, one.code) for one in found.misses] == [("a", "no-match")]


async def test_a_beginning_counts_when_nobody_takes_the_whole() -> None:
    found = await cascade(Scripted(match("a", 0.5)), Scripted(miss("b")), Scripted(match("c", 0.3)))
    assert (found.match and found.match.stage) == "a"
    assert [one.stage for one in found.misses] == ["b", "c"]


async def test_a_recogniser_that_fails_costs_the_others_nothing() -> None:
    found = await cascade(
        Scripted(EngineUnavailable("it is off")), Scripted(ValueError("bug")), Scripted(match("c"))
    )
    assert (found.match and found.match.stage) == "c"
    assert [(one.stage, one.code) for one in found.misses] == [("s0", "failed"), ("s1", "failed")]
    assert found.misses[0].reason == "it is off"


async def test_nobody_is_asked_about_nothing() -> None:
    stage = Scripted(match("a"))
    found = await cascade(stage, text=" \n")
    assert (found.match, found.misses[0].code, stage.asked) == (None, "empty", 0)


async def test_the_last_stage_that_has_something_to_say_says_it() -> None:
    found = await cascade(Scripted(miss("a", "A")), Scripted(miss("b", "B")), Scripted(miss("c")))
    assert found.reply == "B"
    assert Understood(None).reply is None


async def test_a_recogniser_that_wants_to_end_the_program_costs_the_others_nothing() -> None:
    found = await cascade(Scripted(SystemExit(3)), Scripted(match("b")))
    assert (found.match and found.match.stage) == "b"
    assert [(one.stage, one.code) for one in found.misses] == [("s0", "failed")]
