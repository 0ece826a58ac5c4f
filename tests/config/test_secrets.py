from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
import voluptuous as vol

from hub.config.schema import parse
from hub.config.source import Mark, load, read
from tests.config.reading import Files, Write, problems


def test_a_secret_comes_from_the_nearest_file_that_has_it(write: Write) -> None:
    files: Files = {
        "earnest.yaml": "a: !secret one\nb: !include sub/b.yaml\n",
        "sub/b.yaml": "x: !secret one\ny: !secret two\n",
        "secrets.yaml": "one: top\ntwo: also top\n",
        "sub/secrets.yaml": "one: below\n",
    }
    document = load(write(files), {})
    assert document.data == {"a": "top", "b": {"x": "below", "y": "also top"}}


def test_secrets_above_the_configuration_folder_are_not_looked_at(write: Write, tmp_path: Path) -> None:
    (tmp_path / "secrets.yaml").write_text("one: x\n")
    found = problems(write({"earnest.yaml": "a: !secret one\n"}))
    assert found == ["earnest.yaml:1:4: the secret 'one' is not defined: there is no secrets.yaml"]


def test_a_secret_may_be_more_than_a_word(write: Write) -> None:
    files: Files = {"earnest.yaml": "a: !secret box\n", "secrets.yaml": "box: {user: me, pin: [1, 2]}\n"}
    document = load(write(files), {})
    assert document.data == {"a": {"user": "me", "pin": [1, 2]}}
    assert document.mark(("a",)) == Mark("earnest.yaml", 1, 4)
    assert document.hidden(("a", "pin", 1))


def test_an_unknown_secret_has_a_near_match_and_says_where_it_looked(write: Write) -> None:
    files: Files = {"earnest.yaml": "a: !secret mqtt_pasword\n", "secrets.yaml": "mqtt_password: hunter2\n"}
    assert problems(write(files)) == [
        "earnest.yaml:1:4: the secret 'mqtt_pasword' is not defined: it is not in secrets.yaml"
        "; did you mean 'mqtt_password'?"
    ]


def test_environment_variables_may_have_a_default(write: Write) -> None:
    text = "a: !env_var EARNEST_KEY\nb: !env_var EARNEST_NOT two words\nc: !env_var EARNEST_EMPTY x\n"
    document = load(write({"earnest.yaml": text}), {"EARNEST_KEY": "0123", "EARNEST_EMPTY": ""})
    assert document.data == {"a": "0123", "b": "two words", "c": ""}


def test_a_missing_environment_variable_is_named(write: Write) -> None:
    found = problems(write({"earnest.yaml": "a: !env_var EARNEST_NOT\n"}))
    said = "earnest.yaml:1:4: the environment variable 'EARNEST_NOT' is not set, and no default is given"
    assert found == [said]


def test_a_secret_is_no_key(write: Write) -> None:
    files: Files = {"earnest.yaml": "? !secret one\n: 1\n", "secrets.yaml": "one: hunter2\n"}
    assert problems(write(files)) == ["earnest.yaml:1:3: a secret cannot be a key"]


@pytest.mark.parametrize(
    "content",
    [
        "pin: hunter2\npin: hunter2\n",
        "pin: !hunter2\n",
        "pin: *hunter2\n",
        "pin: @hunter2\n",
        "pin: !secret hunter2\n",
        "pin: !include hunter2\n",
        "pin: !env_var hunter2\n",
        "hunter2: hunter2: hunter2\n",
        "pin: 'hunter2\n",
        "pin: [hunter2\n",
        "pin:\n\thunter2\n",
        "hunter2\n",
        "- hunter2\n",
        "pin: !hunter2!x y\n",
        "pin: hunter2\nhunter2\n",
        "pin: %hunter2\n",
        'pin: "\\hunter2"\n',
        "? {a: hunter2}\n: hunter2\n",
        "pin: &hunter2 &hunter2 x\n",
        "pin: hunter2\n---\nhunter2: 1\n",
    ],
)
def test_a_broken_secrets_file_shows_nothing_of_itself(write: Write, content: str) -> None:
    found = problems(write({"earnest.yaml": "a: !secret pin\nb: !secret pin\n", "secrets.yaml": content}))
    assert found
    assert "secrets.yaml" in found[0]
    if "env_var" not in content:
        assert not [line for line in found if "hunter2" in line]


def test_bytes_of_a_secrets_file_are_not_shown(write: Write) -> None:
    found = problems(write({"earnest.yaml": "a: !secret pin\n", "secrets.yaml": b"pin: \xfe\xfe\n"}))
    assert found == ["secrets.yaml:1:6: byte 6 is not UTF-8; save the file as UTF-8"]


def loud(value: object) -> object:
    """A validator that quotes what it is given, and changes it."""
    raise vol.Invalid(f"{str(value).upper()} is not what I want")


@dataclass(frozen=True, kw_only=True)
class Options:
    whole: int = 0
    choice: Literal["hunter3", "other"] = "other"
    number: Annotated[float, vol.Range(max=1)] = 0
    loud: Annotated[str, loud] = ""
    items: tuple[int, ...] = ()
    record: tuple[Options, ...] = ()


@pytest.mark.parametrize("field", ["whole", "choice", "number", "loud", "items", "record"])
@pytest.mark.parametrize("source", ["!secret pin", "!env_var PIN", "!secret box", "!secret number"])
def test_no_error_about_a_value_shows_a_secret(write: Write, field: str, source: str) -> None:
    files: Files = {
        "earnest.yaml": f"{field}: {source}\n",
        "secrets.yaml": "pin: hunter2\nbox: [hunter2, {hunter2: hunter2}]\nnumber: 4711\n",
    }
    document = read(write(files), {"PIN": "hunter2"})
    _, found = parse(Options, document)
    shown = "\n".join(problem.message for problem in found).lower()
    assert "hunter2" not in shown
    assert "4711" not in shown


def test_a_later_check_cannot_show_a_secret_either(write: Write) -> None:
    files: Files = {"earnest.yaml": "a: !secret pin\nb: x\n", "secrets.yaml": "pin: hunter2\n"}
    document = load(write(files), {})
    assert document.problem(("a",), "no engine 'hunter2'").message == "no engine '<secret>'"
    assert document.problem(("b",), "hunter2 is unknown").message == "<secret> is unknown"
    assert "hunter2" not in repr(document)
