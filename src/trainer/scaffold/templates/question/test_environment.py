"""Run with: python -m pytest"""

import asyncio
from typing import Any

from openreward.environments import RunToolError, RunToolSuccess
from openreward.environments.session import call_session_tool

from environment import TemplateEnvironment, load_tasks, normalize

TASK = {"id": "t", "split": "train", "question": "What is 9+6?", "answer": "15"}


def play(*calls: tuple[str, dict[str, Any]]) -> list[RunToolSuccess | RunToolError]:
    """Make these calls in one session, as the server does."""

    async def session() -> list[RunToolSuccess | RunToolError]:
        environment = TemplateEnvironment(TASK)
        results = [await call_session_tool(environment, None, *call) for call in calls]
        return [result.root for result in results]

    return asyncio.run(session())


def reward(value: str) -> float | None:
    [result] = play(("answer", {"value": value}))
    assert result.ok and result.output.finished
    return result.output.reward


def test_right_answer_pays() -> None:
    assert reward("15") == 1.0
    assert reward(" 15.0 ") == 1.0


def test_wrong_answer_does_not_pay() -> None:
    for value in ["14", "1.5", "15 or 16", "The answer is 15", ""]:
        assert reward(value) == 0.0


def test_normalize_ignores_formatting() -> None:
    assert normalize("1,000") == normalize("1000.0")
    assert normalize("  New   York. ") == normalize("new york")
    assert normalize("yes") != normalize("no")


def test_malformed_calls_get_an_error_message() -> None:
    for call in [("answer", {}), ("answer", {"value": 15}), ("reply", {"value": "15"})]:
        [result] = play(call)
        assert not result.ok
        assert result.error


def test_prompt_does_not_reveal_the_answer() -> None:
    for task in load_tasks("train") + load_tasks("test"):
        [block] = TemplateEnvironment(task.model_dump()).get_prompt()
        assert block.text == task.question


def test_splits_do_not_overlap() -> None:
    train, test = ({task.question for task in load_tasks(s)} for s in ("train", "test"))
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
