"""Run with: python -m pytest"""

import asyncio
import os
import sys
import time
from typing import Any

import pytest
from openreward.environments import RunToolError, RunToolSuccess
from openreward.environments.session import call_session_tool

from environment import TASKS, TRIES, TemplateEnvironment, is_same, load_tasks
from sandbox import CodeError, read_result, run_function

TASK = {
    "id": "t",
    "split": "train",
    "signature": "def double(n: int) -> int",
    "description": "Return two times n.",
    "tests": [{"arguments": [3], "expected": 6}, {"arguments": [0], "expected": 0}],
}
RIGHT = "def double(n):\n    return 2 * n"


def play(*calls: tuple[str, dict[str, Any]]) -> list[RunToolSuccess | RunToolError]:
    """Make these calls in one session, as the server does."""

    async def session() -> list[RunToolSuccess | RunToolError]:
        environment = TemplateEnvironment(TASK)
        results = [await call_session_tool(environment, None, *call) for call in calls]
        return [result.root for result in results]

    return asyncio.run(session())


def test_right_code_pays() -> None:
    [result] = play(("submit", {"code": RIGHT}))
    assert result.output.reward == 1.0 and result.output.finished


def test_code_can_be_corrected() -> None:
    wrong, right = play(
        ("submit", {"code": "def double(n):\n    return n"}),
        ("submit", {"code": RIGHT}),
    )
    assert wrong.output.blocks[0].text == "1 of 2 tests passed"
    assert wrong.output.reward is None
    assert right.output.reward == 1.0


@pytest.mark.parametrize(
    "code",
    [
        "def double(n):\n    return 0",
        "def double(n):\n    return str(2 * n)",
        "def half(n):\n    return 2 * n",
        "def double(n:",
        "import sys\nsys.exit()",
        "import os\nos._exit(0)",
        "import os\nos.write(1, b'{\"values\": [6, 0]}')",
        "class Six(int):\n    __eq__ = lambda *_: True\ndouble = Six",
        "",
    ],
)
def test_wrong_code_does_not_pay(code: str) -> None:
    *_, last = play(*[("submit", {"code": code})] * TRIES)
    assert last.output.reward == 0.0 and last.output.finished


def test_values_of_other_types_differ() -> None:
    for value, expected in [(1, True), (1.0, 1), ([1], [True]), ({"a": 1.0}, {"a": 1})]:
        assert not is_same(value, expected)
    assert is_same({"a": [1], "b": None}, {"b": None, "a": [1]})
    assert is_same([-0.0], [0.0])


def test_malformed_calls_get_an_error_message() -> None:
    for call in [("submit", {}), ("submit", {"code": 1}), ("run", {"code": RIGHT})]:
        [result] = play(call)
        assert not result.ok
        assert result.error


def test_output_that_is_nested_too_deeply_is_no_result() -> None:
    with pytest.raises(CodeError, match="ended without a result"):
        read_result(b"[" * 60_000, 1)


def test_endless_code_is_ended() -> None:
    begin = time.monotonic()
    with pytest.raises(CodeError, match="no result within 1 s"):
        run_function("while True: pass", "double", [[1]], time_limit_s=1.0)
    assert time.monotonic() - begin < 10


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory")
def test_memory_is_limited() -> None:
    with pytest.raises(CodeError, match="MemoryError"):
        run_function("def f(n):\n    return len(bytes(n))", "f", [[2**30]])


def test_code_sees_no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "s3cret")
    code = "import os\ndef f():\n    return os.environ.get('SECRET_KEY')"
    assert run_function(code, "f", [[]]) == [None]


def test_code_cannot_read_the_tests() -> None:
    code = """
import ctypes, os
def f(path):
    ctypes.CDLL(None).umount(os.fsencode(os.path.dirname(path)))
    try:
        namespace = os.readlink("/proc/self/ns/user")
    except OSError:
        namespace = None
    return [namespace, os.path.exists(path)]
"""
    if sys.platform != "linux":
        pytest.skip("only Linux hides the tests")
    [[namespace, is_there]] = run_function(code, "f", [[str(TASKS)]])
    if namespace == os.readlink("/proc/self/ns/user"):
        pytest.skip("this system forbids user namespaces")
    assert not is_there


def test_splits_do_not_overlap() -> None:
    train, test = (
        {task.function for task in load_tasks(split)} for split in ("train", "test")
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
