"""No template of a command takes the hub's time or memory."""

import pytest
from jinja2 import TemplateError, TemplateSyntaxError

from hub.intents.sandbox import Sandbox


@pytest.mark.parametrize(
    "template",
    [
        "{{ 'x' * 20000 }}",
        "{{ 20000 * 'x' }}",
        "{{ [1] * 20000 }}",
        "{{ 2 ** 5000 }}",
        "{{ 2 ** (2 ** 13) }}",
        "{{ 2 ** 1000 * 2 ** 1000 }}",
        "{{ ('x' * 9999) + ('x' * 9999) }}",
        "{{ '%20000d' % 1 }}",
        "{{ '%*d' % (20000, 1) }}",
        "{{ '%20000d' | format(1) }}",
        "{{ '{:20000}'.format(1) }}",
        "{{ '{:{w}}'.format(1, w=20000) }}",
        "{{ 'x'.ljust(20000) }}",
        "{{ 'x' | center(20000) }}",
        "{{ 'x' | indent(20000) }}",
        "{{ range(20000) | list }}",
        "{{ lipsum(20000) }}",
        "{{ namespace(x=1).x }}",
        "{{ [].append(1) }}",
        "{{ ''.__class__ }}",
    ],
)
def test_what_would_be_huge_is_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        Sandbox().from_string(template).render()


@pytest.mark.parametrize("expression", ["2 ** 5000", "'x' * 20000", "range(20000)"])
def test_an_expression_is_held_to_the_same(expression: str) -> None:
    with pytest.raises(TemplateError):
        Sandbox().compile_expression(expression)()


@pytest.mark.parametrize(
    ("template", "because"),
    [
        ("{% for a in 'xy' %}{% for b in 'xy' %}{% endfor %}{% endfor %}", "a loop within a loop"),
        ("{% for a in 'xy' recursive %}{{ loop('xy') }}{% endfor %}", "a loop within a loop"),
        ("{% macro m() %}{{ m() }}{{ m() }}{% endmacro %}{{ m() }}", "a macro"),
    ],
)
def test_what_could_go_on_for_long_is_a_mistake_of_the_template(template: str, because: str) -> None:
    with pytest.raises(TemplateSyntaxError, match=because):
        Sandbox().from_string(template)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ level * 2 + 1 }} {{ 2 ** 3 }} {{ 1.5 * 2 }} {{ 7 % 4 }}", "81 8 3.0 3"),
        ("{{ 'a' + 'b' }}{{ '-' * 3 }}", "ab---"),
        ("{{ '%02d' % 7 }} {{ '%.1f' | format(2.25) }} {{ '{:>4}'.format('x') }}", "07 2.2    x"),
        ("{% for one in range(3) %}{{ one }}{% endfor %}", "012"),
        ("{{ '{:,} lux'.format(20000) }}", "20,000 lux"),
        ("{% if level > 10 %}bright{% else %}dim{% endif %}", "bright"),
        ("{{ 'kitchen lamp'.replace('kitchen', 'my') | title }}", "My Lamp"),
    ],
)
def test_what_people_write_works(template: str, text: str) -> None:
    assert Sandbox().from_string(template).render(level=40) == text
