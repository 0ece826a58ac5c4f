from __future__ import annotations

from hub.house import Given
from hub.intents.commands import CommandConfig, SlotConfig
from hub.intents.vocabulary import MOST_PHRASES, Vocabulary, phrases
from hub.phrases import load
from hub.values.house import Area
from hub.values.thing import Thing
from tests.intents.homes import Home

ENGLISH = load("en")
COMMANDS = {
    "film": CommandConfig(phrases=("[start the] film in {area}", "{nothing"), reply="Yes."),
    "note": CommandConfig(
        phrases=("note {what} {0..9:n}",), slots={"what": SlotConfig(wildcard=True)}, reply="Yes."
    ),
    "off": CommandConfig(phrases=("never said",), enabled=False),
}


def test_what_is_said_most_comes_first_and_nothing_hidden_comes_at_all() -> None:
    home = Home()
    things = (
        Thing(id="todo.shopping_list", name="shopping list"),
        Thing(id="light.a", name="Kitchen lamp", aliases=("Moonbeam",)),
        Thing(id="light.b", name="Hall lamp"),
        Thing(id="light.c", name="Secret lamp", exposed=False),
    )
    with home.furnished(*things, areas=(Area(id="kitchen", name="Kitchen", aliases=("galley",)),)):
        found = phrases(home.house, COMMANDS, ENGLISH)
    assert found == (
        "Turn on the Kitchen lamp.",
        "Add milk to my shopping list.",
        "start the film in Kitchen",
        "note 0",
        "shopping list",
        "Kitchen lamp",
        "Moonbeam",
        "Hall lamp",
        "Kitchen",
        "galley",
    )


def test_it_is_made_anew_when_a_name_changes_and_never_too_long() -> None:
    home = Home()
    vocabulary = Vocabulary(home.house, {}, ENGLISH)
    with home.furnished(*(Thing(id=f"light.l{n}", name=f"Lamp {n}") for n in range(500))):
        first = vocabulary.phrases()
        assert len(first) == MOST_PHRASES
        assert vocabulary.phrases() is first
        home.house.give("light.l0", Given(name="Moonbeam"))
        assert vocabulary.phrases()[0] == "Turn on the Moonbeam."
