import pytest

pytest_plugins = ["pytester"]


def test_a_test_that_leaves_a_task_behind_fails(pytester: pytest.Pytester) -> None:
    pytester.makeconftest('pytest_plugins = ["hub.testing.plugin"]')
    pytester.makeini("[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function")
    pytester.makepyfile(
        """
        import asyncio

        async def test_tidy():
            await asyncio.create_task(asyncio.sleep(0))

        async def test_leaves_one():
            global kept
            kept = asyncio.create_task(asyncio.sleep(60), name="forgotten")

        def test_needs_no_loop():
            pass
        """
    )
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*tasks were left behind: forgotten (sleep)*"])
