"""One question, one answer: the right answer earns 1."""

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
    question: str
    answer: str


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


def normalize(answer: str) -> str:
    """Remove differences that do not count: case, spaces, a final period, and the
    commas and trailing zeros of numbers."""
    text = " ".join(answer.casefold().split()).removesuffix(".")
    try:
        return f"{float(text.replace(',', '')):.12g}"
    except ValueError:
        return text


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
        return [TextBlock(text=self.task.question)]

    @tool
    def answer(self, arguments: Answer) -> ToolOutput:
        """Give the final answer. Ends the episode."""
        is_right = normalize(arguments.value) == normalize(self.task.answer)
        return ToolOutput(
            blocks=[TextBlock(text="right" if is_right else "wrong")],
            reward=1.0 if is_right else 0.0,
            finished=True,
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
