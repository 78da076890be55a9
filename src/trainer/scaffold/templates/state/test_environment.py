"""Run with: python -m pytest"""

import asyncio
from typing import Any

from openreward.environments import RunToolError, RunToolSuccess, ToolOutput
from openreward.environments.session import call_session_tool
from pytest import approx

from environment import GUESSES, TemplateEnvironment, load_tasks

TASK = {"id": "t", "split": "train", "limit": 30, "secret": 22}


def play(*calls: tuple[str, dict[str, Any]]) -> list[RunToolSuccess | RunToolError]:
    """Make these calls in one session, as the server does."""

    async def session() -> list[RunToolSuccess | RunToolError]:
        environment = TemplateEnvironment(TASK)
        results = [await call_session_tool(environment, None, *call) for call in calls]
        return [result.root for result in results]

    return asyncio.run(session())


def guess(*numbers: int) -> list[ToolOutput]:
    return [result.output for result in play(*(("guess", {"n": n}) for n in numbers))]


def test_rewards_add_up_to_1_when_the_number_is_found() -> None:
    results = guess(15, 23, 22)
    assert [result.blocks[0].text for result in results] == [
        "higher",
        "lower",
        "correct",
    ]
    assert [result.finished for result in results] == [False, False, True]
    assert sum(result.reward for result in results) == approx(1.0)


def test_wrong_guesses_pay_less_than_the_number() -> None:
    results = guess(15, 18, 20, 21, 23)
    assert results[-1].finished
    assert sum(result.reward for result in results) <= 0.5


def test_repeated_guess_pays_nothing() -> None:
    assert [result.reward for result in guess(15, 15, 3, 40)] == [0.1, 0.0, 0.0, 0.0]


def test_sessions_share_no_state() -> None:
    assert guess(15)[0].reward == guess(15)[0].reward


def test_episode_ends_after_the_last_guess() -> None:
    *_, late = play(*[("guess", {"n": 1})] * (GUESSES + 1))
    assert not late.ok


def test_malformed_calls_get_an_error_message() -> None:
    for call in [("guess", {}), ("guess", {"n": "many"}), ("answer", {"n": 22})]:
        [result] = play(call)
        assert not result.ok
        assert result.error


def test_splits_do_not_overlap() -> None:
    train, test = (
        {(task.limit, task.secret) for task in load_tasks(split)}
        for split in ("train", "test")
    )
    assert train and test
    assert not train & test


def test_each_tool_is_offered() -> None:
    """openreward silently skips a tool with an unsupported signature."""
    attributes = {
        name: getattr(TemplateEnvironment, name) for name in dir(TemplateEnvironment)
    }
    marked = {
        name for name, each in attributes.items() if getattr(each, "_env_tool", False)
    }
    assert marked == {tool.name for tool in TemplateEnvironment.list_tools().tools}
