"""The model writes a Python function; hidden tests decide the reward."""

import argparse
import os
from pathlib import Path
from typing import Any, Literal

from openreward.environments import (
    Environment,
    JSONObject,
    Server,
    Split,
    TextBlock,
    ToolOutput,
    tool,
)
from pydantic import BaseModel

from sandbox import CodeError, run_function

TASKS = Path(__file__).with_name("tasks.jsonl")
TRIES = 3


class Test(BaseModel, extra="forbid"):
    """One call of the function and its expected result."""

    arguments: list[Any]
    expected: Any


class Task(BaseModel, extra="forbid"):
    """One line of tasks.jsonl."""

    id: str
    split: Literal["train", "test"]
    signature: str
    """As in `def double(n: int) -> int`."""
    description: str
    tests: list[Test]

    @property
    def function(self) -> str:
        """The name of the function."""
        return self.signature.removeprefix("def ").split("(")[0]


class Submission(BaseModel):
    """The arguments of the tool `submit`."""

    code: str


def load_tasks(split: str) -> list[Task]:
    """Read the tasks of a split. A malformed line raises an error with its number."""
    tasks = []
    lines = TASKS.read_text(encoding="utf-8-sig").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            if line.strip():
                tasks.append(Task.model_validate_json(line))
        except ValueError as error:
            raise ValueError(f"tasks.jsonl, line {number}: {error}") from error
    return [task for task in tasks if task.split == split]


def is_same(value: Any, expected: Any) -> bool:
    """Compare JSON values. True and 1 differ, and so do 1 and 1.0, also in lists."""
    if type(value) is not type(expected):
        return False
    if isinstance(expected, list):
        return len(value) == len(expected) and all(map(is_same, value, expected))
    if isinstance(expected, dict):
        same_keys = value.keys() == expected.keys()
        return same_keys and all(is_same(value[key], expected[key]) for key in expected)
    return bool(value == expected)


class TemplateEnvironment(Environment):
    """A session plays one task; the trainer opens many sessions at the same time."""

    def __init__(
        self, task_spec: JSONObject, secrets: dict[str, str] | None = None
    ) -> None:
        super().__init__(task_spec, secrets or {})
        self.task = Task.model_validate(task_spec)
        self.tries = 0

    @classmethod
    def name(cls) -> str:
        """Return the name that the configuration uses."""
        return "template-environment"

    @classmethod
    def list_splits(cls) -> list[Split]:
        """Return the splits: train on one, evaluate on the other."""
        return [Split(name="train", type="train"), Split(name="test", type="test")]

    @classmethod
    def list_tasks(cls, split: str) -> list[JSONObject]:
        """Return the tasks of a split, always in the same order."""
        return [task.model_dump() for task in load_tasks(split)]

    def get_prompt(self) -> list[TextBlock]:
        """Return what the model reads first. Never show the tests here."""
        text = (
            f"Write this Python function:\n\n{self.task.signature}\n\n"
            f"{self.task.description}\n\n"
            "Use the standard library only. "
            f"Submit the whole code; you have {TRIES} tries."
        )
        return [TextBlock(text=text)]

    @tool
    def submit(self, arguments: Submission) -> ToolOutput:
        """Run the code against hidden tests. Ends the episode when all pass."""
        self.tries += 1
        is_last = self.tries == TRIES
        tests = self.task.tests
        calls = [test.arguments for test in tests]
        try:
            values = run_function(arguments.code, self.task.function, calls)
        except CodeError as error:
            return self.result(str(error), 0.0, is_last)
        passed = sum(map(is_same, values, [test.expected for test in tests]))
        # Passing some tests earns nothing: code that returns a constant does that.
        is_right = passed == len(tests)
        text = f"{passed} of {len(tests)} tests passed"
        return self.result(text, 1.0 if is_right else 0.0, is_right or is_last)

    def result(self, text: str, reward: float, finished: bool) -> ToolOutput:
        """Return what the model reads next. Only the end of the episode is rewarded."""
        return ToolOutput(
            blocks=[TextBlock(text=text)],
            reward=reward if finished else None,
            finished=finished,
        )


def main() -> None:
    """Serve on this computer only. The trainer sets the variable PORT."""
    parser = argparse.ArgumentParser(description=__doc__)
    port = int(os.environ.get("PORT", "8080"))
    parser.add_argument("--port", type=int, default=port)
    arguments = parser.parse_args()
    Server([TemplateEnvironment]).run(host="127.0.0.1", port=arguments.port)


if __name__ == "__main__":
    main()
