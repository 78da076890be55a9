"""Look things up, then answer. The right answer earns 1 and needs the lookups."""

import argparse
import os
from pathlib import Path
from typing import Literal

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

TASKS = Path(__file__).with_name("tasks.jsonl")


class Task(BaseModel, extra="forbid"):
    """One line of tasks.jsonl."""

    id: str
    split: Literal["train", "test"]
    start: str
    """The key to begin with."""
    boxes: dict[str, str]
    """The content of each key's box: another key, or a number."""


class Lookup(BaseModel):
    """The arguments of the tool `lookup`."""

    key: str


class Answer(BaseModel):
    """The arguments of the tool `answer`."""

    value: str


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


def follow(task: Task) -> str:
    """Return the number behind the first key: the right answer."""
    found = task.start
    for _ in task.boxes:
        found = task.boxes.get(found, found)
    return found


class TemplateEnvironment(Environment):
    """A session plays one task; the trainer opens many sessions at the same time."""

    def __init__(
        self, task_spec: JSONObject, secrets: dict[str, str] | None = None
    ) -> None:
        super().__init__(task_spec, secrets or {})
        self.task = Task.model_validate(task_spec)

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
        """Return what the model reads first. Never put the answer here."""
        start = self.task.start
        text = f"Which number is behind {start}? Follow the keys, then answer."
        return [TextBlock(text=text)]

    @tool
    def keys(self) -> ToolOutput:
        """List all keys."""
        return ToolOutput(blocks=[TextBlock(text=" ".join(sorted(self.task.boxes)))])

    @tool
    def lookup(self, arguments: Lookup) -> ToolOutput:
        """Open the box of a key: it holds another key or a number."""
        # Answer the model's mistakes with a message. An exception would end the
        # rollout with `nonterminal_reward`.
        found = self.task.boxes.get(arguments.key.strip(), "no such key")
        return ToolOutput(blocks=[TextBlock(text=found)])

    @tool
    def answer(self, arguments: Answer) -> ToolOutput:
        """Give the number. Ends the episode."""
        right = follow(self.task)
        is_right = arguments.value.strip() == right
        return ToolOutput(
            blocks=[TextBlock(text="right" if is_right else "wrong")],
            reward=1.0 if is_right else 0.0,
            finished=True,
            # For logs and checks; the model does not see it.
            metadata={"answer": right},
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
