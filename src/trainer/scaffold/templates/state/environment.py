"""State over several turns: find a secret number, with partial rewards on the way."""

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
GUESSES = 5
STEP_REWARD = 0.1


class Task(BaseModel, extra="forbid"):
    """One line of tasks.jsonl."""

    id: str
    split: Literal["train", "test"]
    limit: int
    secret: int


class Guess(BaseModel):
    """The arguments of the tool `guess`."""

    n: int


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


class TemplateEnvironment(Environment):
    """A session plays one task; the trainer opens many sessions at the same time."""

    def __init__(
        self, task_spec: JSONObject, secrets: dict[str, str] | None = None
    ) -> None:
        super().__init__(task_spec, secrets or {})
        self.task = Task.model_validate(task_spec)
        # State belongs to the session: create it here, never in the class.
        self.low = 1
        self.high = self.task.limit
        self.guesses = 0
        self.paid = 0.0

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
        limit = self.task.limit
        text = f"Find the secret number from 1 to {limit}. You have {GUESSES} guesses."
        return [TextBlock(text=text)]

    @tool
    def guess(self, arguments: Guess) -> ToolOutput:
        """Guess the number."""
        self.guesses += 1
        n, secret = arguments.n, self.task.secret
        if n == secret:
            # If the number is found, the rewards of the episode add up to 1.
            return self.result("correct", 1.0 - self.paid, finished=True)
        text = "higher" if n < secret else "lower"
        # Only a guess that fits the hints earns a reward. It narrows the range, so
        # repeating it earns nothing.
        reward = STEP_REWARD if self.low <= n <= self.high else 0.0
        self.paid += reward
        if n < secret:
            self.low = max(self.low, n + 1)
        else:
            self.high = min(self.high, n - 1)
        return self.result(text, reward, finished=self.guesses == GUESSES)

    def result(self, text: str, reward: float, finished: bool) -> ToolOutput:
        """Return what the model reads next, and what it earned with this call."""
        return ToolOutput(
            blocks=[TextBlock(text=text)], reward=reward, finished=finished
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
