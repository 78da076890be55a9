"""Run with: python -m pytest"""

import asyncio
from typing import Any

from openreward.environments import RunToolError, RunToolSuccess
from openreward.environments.session import call_session_tool

from environment import TemplateEnvironment, follow, load_tasks

TASK = {
    "id": "t",
    "split": "train",
    "start": "K1",
    "boxes": {"K2": "512", "K1": "K2", "K3": "100"},
}


def play(*calls: tuple[str, dict[str, Any]]) -> list[RunToolSuccess | RunToolError]:
    """Make these calls in one session, as the server does."""

    async def session() -> list[RunToolSuccess | RunToolError]:
        environment = TemplateEnvironment(TASK)
        results = [await call_session_tool(environment, None, *call) for call in calls]
        return [result.root for result in results]

    return asyncio.run(session())


def test_lookups_lead_to_the_right_answer() -> None:
    *lookups, answer = play(
        ("keys", {}),
        ("lookup", {"key": "K1"}),
        ("lookup", {"key": "K2"}),
        ("answer", {"value": " 512 "}),
    )
    texts = [result.output.blocks[0].text for result in lookups]
    assert texts == ["K1 K2 K3", "K2", "512"]
    assert not any(result.output.finished for result in lookups)
    assert answer.output.reward == 1.0 and answer.output.finished


def test_wrong_answer_does_not_pay() -> None:
    for value in ["100", "K2", "512 or 100", ""]:
        [result] = play(("answer", {"value": value}))
        assert result.output.reward == 0.0 and result.output.finished


def test_lookups_pay_nothing() -> None:
    for result in play(("keys", {}), ("lookup", {"key": "K1"})):
        assert result.output.reward is None


def test_malformed_calls_get_an_error_message() -> None:
    [unknown] = play(("lookup", {"key": "K9"}))
    assert unknown.output.blocks[0].text == "no such key"
    for call in [("answer", {}), ("lookup", {"key": 1}), ("open", {"key": "K1"})]:
        [result] = play(call)
        assert not result.ok
        assert result.error


def test_each_task_has_a_number_to_find() -> None:
    for task in load_tasks("train") + load_tasks("test"):
        assert task.start in task.boxes
        assert follow(task).isdecimal()


def test_splits_do_not_overlap() -> None:
    train, test = (
        {str(sorted(task.boxes.items())) for task in load_tasks(split)}
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
