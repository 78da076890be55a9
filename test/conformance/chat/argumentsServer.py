"""An environment of the official package whose tools take arguments of every kind, and answer with what arrived.

Prints `listening URL` when it can be asked.
"""

import datetime
import decimal
import enum
import json
import socket
from typing import Annotated, Any, Literal, Optional, Union

import uvicorn
from openreward.environments import Environment, Server, TextBlock, ToolOutput, tool
from pydantic import BaseModel, Field, RootModel


class Color(enum.Enum):
    RED = "red"
    ONE = "1"
    TRUE = "true"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Node(BaseModel, extra="forbid"):
    label: str
    value: Optional[int] = None
    children: list["Node"] = []


class Circle(BaseModel, extra="forbid"):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel, extra="forbid"):
    kind: Literal["square"]
    side: int


Text = Annotated[str, Field(description="Some text.")]


class Edit(BaseModel, extra="forbid"):
    command: Literal["create", "view"] = "create"
    path: str = "a.txt"
    file_text: Optional[str] = None
    view_range: Optional[list[int]] = None
    insert_line: int | None = None


class Values(BaseModel, extra="forbid"):
    text: Text = ""
    maybe: Optional[str] = None
    limited: Optional[Annotated[str, Field(max_length=100_000)]] = None
    number: int = 0
    maybe_number: Optional[int] = None
    ratio: float = 0
    flag: bool = False
    maybe_flag: Optional[bool] = None
    either: Union[int, str] = 0
    text_or_ratio: str | float | None = None
    text_or_flag: str | bool | None = None
    texts: list[str] = []
    maybe_texts: Optional[list[str]] = None
    text_or_texts: Union[str, list[str]] = ""
    text_or_counts: Union[str, dict[str, int]] = ""
    text_or_node: Union[str, Node] = ""
    word: Literal["left", "right"] = "left"
    digit: Literal[1, 2, 3] = 1
    digit_text: Literal["1", "2"] = "1"
    mixed: Literal["1", 2, "true", False] = 2
    digit_or_text: Union[Literal[1, 2], str] = 1
    one: Literal[1] = 1
    maybe_one_text: Optional[Literal["1"]] = None
    color: Color = Color.RED
    maybe_color: Optional[Color] = None
    level: Level = Level.LOW
    counts: dict[str, int] = {}
    options: dict[str, Any] = {}
    node: Optional[Node] = None
    shape: Annotated[Union[Circle, Square], Field(discriminator="kind")] = Square(kind="square", side=1)
    pair: tuple[int, str] = (0, "")
    when: Optional[datetime.datetime] = None
    code: Optional[Annotated[str, Field(pattern=r"^\d+$", examples=["007"])]] = None
    anything: Any = None
    renamed: Optional[str] = Field(default=None, alias="file-name ä")


class Shape(RootModel[Union[Circle, Square]]):
    pass


class Required(BaseModel, extra="forbid"):
    path: str
    amount: Annotated[int, Field(gt=3)]
    share: Annotated[float, Field(ge=0, lt=1)]
    color: Color
    node: Node
    when: datetime.date
    price: decimal.Decimal
    shape: Union[Circle, Square]
    pair: tuple[int, str]
    note: Optional[str]


def arrived(args):
    return ToolOutput(blocks=[TextBlock(text=args.model_dump_json(exclude_unset=True, by_alias=True))])


class Arguments(Environment):
    @classmethod
    def list_splits(cls):
        return ["train"]

    @classmethod
    def list_tasks(cls, split):
        return [{"id": "0"}]

    def get_prompt(self):
        return [TextBlock(text="Call the tools.")]

    @tool
    async def edit(self, args: Edit) -> ToolOutput:
        """Edit a file."""
        return arrived(args)

    @tool
    async def take(self, args: Values) -> ToolOutput:
        """Take values of any kind."""
        return arrived(args)

    @tool
    async def plant(self, args: Node) -> ToolOutput:
        """Take a tree."""
        return arrived(args)

    @tool
    async def draw(self, args: Shape) -> ToolOutput:
        """Take one of two forms."""
        return arrived(args)

    @tool
    async def need(self, args: Required) -> ToolOutput:
        """Take all that is asked for."""
        return arrived(args)


if __name__ == "__main__":
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(Server([Arguments]).app, log_level="error", access_log=False)
    print(f"listening http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listener])
