"""Serves an environment of another library as ORS, using only that library and the standard library.

    python bridge.py LIBRARY ID JSON_OF_ARGUMENTS

Listens on 127.0.0.1 at the port in the PORT variable.
"""

import asyncio
import importlib
import importlib.metadata
import inspect
import json
import os
import random
import sys
import threading
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PACKAGES = {
    "reasoning-gym": ("reasoning_gym", "reasoning-gym"),
    "textarena": ("textarena", "textarena"),
    "verifiers": ("verifiers", "verifiers"),
    "openenv": ("openenv", "openenv-core"),
}
TRAIN_TASKS = 1000
TEST_TASKS = 100
# Distance between the seeds of the splits: libraries seed a task with the sum of its index and the seed.
SEED_GAP = 1_000_000
# Number of training questions that the test split is compared with.
MOST_COMPARED = 1000
# ORS splits results into chunks of at most this many characters.
MAX_PIECE = 4096


class Refusal(Exception):
    """A rejected request, with its HTTP status."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


def text_tool(name, argument, description):
    return {
        "name": name,
        "description": description,
        "input_schema": {
            "type": "object",
            "properties": {argument: {"type": "string"}},
            "required": [argument],
        },
    }


class ReasoningGym:
    """A question with a single answer, graded by the library's own scorer."""

    tools = [text_tool("answer", "answer", "Give the final answer, and nothing else.")]
    terminal = ("answer", "answer")
    is_remote = False

    def __init__(self, library, identifier, args):
        own = dict(args)
        size, tests = own.pop("size", TRAIN_TASKS), own.pop("test_size", TEST_TASKS)
        seed = own.pop("seed", 0)

        def dataset(count, seed):
            return library.create_dataset(identifier, size=count, seed=seed, **own)

        train = dataset(size, seed)
        test = dataset(2 * tests, seed + SEED_GAP)
        self._entries = {"train": (train, range(size)), "test": (test, unseen(train, size, test, tests))}
        self.splits = {split: len(places) for split, (_, places) in self._entries.items()}

    def open(self, split, index):
        dataset, places = self._entries[split]
        entry = dataset[places[index]]

        def call(_, given):
            answer = given["answer"]
            reward = float(dataset.score_answer(answer, entry))
            return f"Score: {reward:g}", reward, True, {"truth": entry["answer"]}

        return [("user", entry["question"])], call


def unseen(train, size, test, wanted):
    """Indices of `test` questions that are not among the first of `train`; generating all of a large split would take too long."""
    seen = {train[place]["question"] for place in range(min(size, MOST_COMPARED))}
    places = [place for place in range(2 * wanted) if test[place]["question"] not in seen]
    return places[:wanted]


class TextArena:
    """A single-player game played in text; the reward comes at the end."""

    tools = [text_tool("act", "action", "Make a move, in the words that the game asks for.")]
    terminal = ("act", "action")
    is_remote = False

    def __init__(self, library, identifier, args):
        own = dict(args)
        size, tests = own.pop("size", TRAIN_TASKS), own.pop("test_size", TEST_TASKS)
        self._seed = {"train": own.pop("seed", 0)}
        self._seed["test"] = self._seed["train"] + SEED_GAP
        self._make = lambda: library.make(env_id=identifier, **own)
        self.splits = {"train": size, "test": tests}
        try:
            game = self._make()
        except Exception as error:
            raise SystemExit(f"textarena could not make {identifier}: {error}")
        try:
            game.reset(num_players=1, seed=0)
        except Exception as error:
            raise SystemExit(f"{identifier} cannot be played by one player: {error}")
        # Some multiplayer games start with one player without an error; their rewards would be meaningless.
        if not isinstance(game.state, library.SinglePlayerState):
            raise SystemExit(f"{identifier} cannot be played by one player: it is a game for several.")

    def open(self, split, index):
        game = self._make()
        game.reset(num_players=1, seed=self._seed[split] + index)
        _, first = game.get_observation()
        seen = first

        def call(_, given):
            nonlocal seen
            done, _ = game.step(action=given["action"])
            if done:
                reward, reason = outcome_of(*game.close())
                return str(reason or "The game is over."), reward, True, None
            _, text = game.get_observation()
            # Some games repeat the whole conversation, others their rules and the current board.
            new = text.removeprefix(seen).strip()
            seen = text
            return new or text.strip(), None, False, None

        return [("user", first.strip())], call


def outcome_of(rewards, info):
    """Reward and reason at the end of a game. After an invalid move, some games swap the two."""
    reward = (rewards or {}).get(0, 0)
    reason = info.get(0, {}).get("reason") if isinstance(info, dict) else None
    for number, words in ((reward, reason), (str(reason).removeprefix("Invalid Move: "), reward)):
        try:
            return float(number), words
        except (TypeError, ValueError):
            continue
    return 0.0, reason


class Verifiers:
    """A single-answer task, graded by the task's own rewards."""

    tools = [text_tool("answer", "text", "Give the whole answer. A message without a call is one, too.")]
    terminal = ("answer", "text")
    is_remote = False

    def __init__(self, _, identifier, args):
        self._v1 = importlib.import_module("verifiers.v1")
        loaders = importlib.import_module("verifiers.v1.utils.loaders")
        own = dict(args)
        tests = own.pop("test_size", None)
        config = loaders.taskset_config_type(identifier)(**{"id": identifier, **own})
        taskset = loaders.load_taskset(config)
        if not taskset.bounded:
            raise SystemExit(f"{identifier} has tasks without end; limit them in args.")
        tasks = list(taskset)
        for task in tasks[:1]:
            if task.NEEDS_CONTAINER or type(task).toolsets(task.config) or type(taskset).toolsets(config):
                raise SystemExit(
                    f"{identifier} needs a container or tool servers, which only the harness of verifiers starts."
                )
        if not tasks:
            raise SystemExit(f"{identifier} has no tasks.")
        held = len(tasks) // 10 if tests is None else tests
        if held >= len(tasks):
            raise SystemExit(f"{identifier} has {len(tasks)} tasks: test_size {held} leaves none to train on.")
        self._tasks = {"train": tasks[: len(tasks) - held], "test": tasks[len(tasks) - held :]}
        self.splits = {split: len(own) for split, own in self._tasks.items()}

    def open(self, split, index):
        task = self._tasks[split][index]
        messages = messages_of(task.data)

        def call(_, given):
            reward = asyncio.run(self._score(task, messages, given["text"]))
            return f"Score: {reward:g}", reward, True, None

        return messages, call

    async def _score(self, task, messages, text):
        graph = importlib.import_module("verifiers.v1.graph")
        types = importlib.import_module("verifiers.v1.types")
        said = {"system": types.SystemMessage, "user": types.UserMessage, "assistant": types.AssistantMessage}
        nodes = [
            graph.MessageNode(message=said[role](content=content), parent=place - 1 if place > 0 else None)
            for place, (role, content) in enumerate(messages)
        ]
        answer = types.AssistantMessage(content=text)
        parent = len(nodes) - 1 if nodes else None
        nodes.append(graph.MessageNode(message=answer, parent=parent, sampled=True))
        trace = self._v1.Trace(
            task=self._v1.TraceTask(type=type(task).__name__, data=task.data, key=task.key, hash=task.hash),
            agent=self._v1.AgentInfo(config=self._v1.AgentConfig()),
            nodes=nodes,
        )
        await task.score(trace)
        return float(trace.reward)


def messages_of(data):
    """Role and text of the initial messages of a verifiers task."""
    system = [] if data.system_prompt is None else [("system", data.system_prompt)]
    if data.prompt is None:
        return system
    if isinstance(data.prompt, str):
        return [*system, ("user", data.prompt)]
    text_of = importlib.import_module("verifiers.v1.types").content_text
    return [*system, *((message.role, text_of(message.content)) for message in data.prompt)]


class OpenEnv:
    """An OpenEnv environment, as a class in this process or a server: its action becomes a tool, its observation the result."""

    terminal = None

    def __init__(self, _, identifier, args):
        self.is_remote = "://" in identifier
        own = dict(args)
        size, tests = own.pop("size", TRAIN_TASKS), own.pop("test_size", TEST_TASKS)
        self._seed = {"train": own.pop("seed", 0)}
        self._seed["test"] = self._seed["train"] + SEED_GAP
        schema = self._remote(identifier) if self.is_remote else self._local(identifier, own)
        schema.get("properties", {}).pop("metadata", None)
        description = schema.get("description") or "Take a step."
        self.tools = [{"name": "step", "description": description, "input_schema": schema}]
        self.splits = {"train": size, "test": tests}

    def _local(self, identifier, args):
        """Uses a class; returns the schema of its action."""
        name, _, kind = identifier.partition(":")
        if kind == "":
            raise SystemExit(f"id is {identifier}, neither MODULE:CLASS of an OpenEnv environment nor http://HOST:PORT.")
        self._make = lambda: getattr(importlib.import_module(name), kind)(**args)
        self._action = action_of(type(self._make()))
        return self._action.model_json_schema()

    def _remote(self, url):
        """Uses the server at a URL; returns the schema of its action."""
        client = importlib.import_module("openenv.core").GenericEnvClient
        self._make = lambda: client(base_url=url).sync()
        self._action = dict
        try:
            with urllib.request.urlopen(f"{url.rstrip('/')}/schema", timeout=30) as answer:
                return json.load(answer)["action"]
        except (OSError, ValueError, KeyError) as error:
            raise SystemExit(f"There is no OpenEnv server at {url}, or it does not answer /schema: {error}")

    def open(self, split, index):
        environment = self._make()
        takes_seed = self._action is dict or "seed" in inspect.signature(environment.reset).parameters
        seed = {"seed": self._seed[split] + index} if takes_seed else {}
        first = environment.reset(**seed)

        def call(_, given):
            seen = environment.step(self._action(**given))
            reward = None if seen.reward is None else float(seen.reward)
            return observation_text(seen), reward, bool(seen.done), None

        return [("user", observation_text(first))], call, environment.close


def action_of(environment):
    """The action type of an OpenEnv environment's `step`."""
    base = importlib.import_module("openenv.core.env_server.types").Action
    hints = inspect.get_annotations(environment.step, eval_str=True)
    for hint in hints.values():
        if inspect.isclass(hint) and issubclass(hint, base):
            return hint
    raise SystemExit(f"{environment.__name__}.step has no action type, such as `action: MyAction`.")


def observation_text(observation):
    if hasattr(observation, "model_dump"):
        fields = observation.model_dump(mode="json", exclude={"done", "reward", "metadata"})
    else:
        # Servers already omit these three fields.
        fields = observation.observation
    texts = [value for value in fields.values() if isinstance(value, str) and value != ""]
    return texts[0] if len(fields) == 1 and texts else json.dumps(fields, ensure_ascii=False)


class Session:
    """
    One episode, with one call at a time. Libraries use Python's global random generator, so each session restores its own state of it,
    and sessions take turns, except if the environment runs elsewhere.
    """

    lock = threading.Lock()

    def __init__(self, environment, split, index):
        self._lock = threading.Lock() if environment.is_remote else Session.lock
        with self._lock:
            random.seed(index)
            self.messages, self._call, *ends = environment.open(split, index)
            self._random = random.getstate()
        self.is_finished = False
        self.results = {}
        self.close = ends[0] if ends else lambda: None

    def call(self, environment, name, given):
        """The result as JSON: the call's output, or why it was not run."""
        tool = next((tool for tool in environment.tools if tool["name"] == name), None)
        if tool is None:
            return rejected(f"'{name}' is not a valid tool", "not_found")
        missing = [key for key in tool["input_schema"].get("required", []) if key not in given]
        if missing:
            return rejected(f"{name} needs {', '.join(missing)}", "input_validation")
        for key, own in tool["input_schema"].get("properties", {}).items():
            if own.get("type") == "string" and not isinstance(given.get(key, ""), str):
                return rejected(f"{key} must be a string", "input_validation")
        with self._lock:
            if self.is_finished:
                return rejected(f"'{name}' was not run: the episode has finished.", "episode_finished")
            random.setstate(self._random)
            try:
                text, reward, finished, metadata = self._call(name, given)
            except Exception as error:
                # Raised by Pydantic for invalid arguments, and reported by OpenEnv servers.
                if type(error).__name__ != "ValidationError" and "VALIDATION_ERROR" not in str(error):
                    raise
                return rejected(str(error), "input_validation")
            finally:
                self._random = random.getstate()
            self.is_finished = finished
        output = {"blocks": [block(text)], "metadata": metadata, "reward": reward, "finished": finished}
        return {"ok": True, "output": output}


def rejected(error, reason):
    return {"ok": False, "error": error, "reason": reason}


def block(text):
    return {"type": "text", "text": text, "detail": None}


ADAPTERS = {
    "reasoning-gym": ReasoningGym,
    "textarena": TextArena,
    "verifiers": Verifiers,
    "openenv": OpenEnv,
}


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    name = "bridged"

    def __init__(self, port, environment):
        super().__init__(("127.0.0.1", port), Handler)
        self.environment = environment
        self.sessions = {}

    def session(self, sid):
        found = self.sessions.get(sid)
        if found is None:
            raise Refusal(404, f"unknown session {sid}")
        return found

    def place(self, split, index):
        count = self.count(split)
        if not isinstance(index, int) or not 0 <= index < count:
            raise Refusal(400, "Invalid index")
        return {"split": split, "index": index}

    def count(self, split):
        if split not in self.environment.splits:
            raise Refusal(400, f"Invalid split {split}: there is {', '.join(self.environment.splits)}")
        return self.environment.splits[split]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Otherwise each response waits for the previous one to be acknowledged.
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def do_GET(self):
        self._answer()

    def do_POST(self):
        self._answer()

    def _answer(self):
        try:
            length = int(self.headers.get("content-length") or 0)
            body = json.loads(self.rfile.read(length) or b"{}")
            route = self.path.split("?")[0].strip("/").split("/")[-1]
            answer = getattr(self, f"_{route}", None)
            if answer is None:
                raise Refusal(404, f"no route {self.path}")
            answer(body if isinstance(body, dict) else {})
        except Refusal as refusal:
            self._json({"detail": str(refusal)}, refusal.status)
        except (BrokenPipeError, ConnectionResetError):
            pass
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            self._json({"detail": f"{type(error).__name__}: {error}"}, 500)

    def _json(self, value, status=200):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _events(self, *events):
        """Sends server-sent events and closes the connection."""
        self.close_connection = True
        self.send_response(200)
        self.send_header("content-type", "text/event-stream; charset=utf-8")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            self.wfile.write(f"event: {name}\ndata: {data}\n\n".encode())

    def _result(self, task_id, text):
        """Compact ASCII JSON has spaces only in strings; no chunk may start with one, because clients would strip it."""
        pieces, place = [], 0
        while place < len(text):
            isspace = text[place] == " "
            end = place + MAX_PIECE - (5 if isspace else 0)
            pieces.append(("\\u0020" + text[place + 1 : end]) if isspace else text[place:end])
            place = end
        pieces = pieces or [""]
        events = [("chunk", piece) for piece in pieces[:-1]] + [("end", pieces[-1])]
        self._events(("task_id", task_id), *events)

    @property
    def _sid(self):
        sid = self.headers.get("x-session-id") or ""
        if sid == "":
            raise Refusal(400, "X-Session-ID header is required")
        return sid

    def _health(self, _):
        self._json({"status": "ok"})

    def _version(self, _):
        self._json({"version": "0.1.167", "build_sha": None})

    def _list_environments(self, _):
        self._json([self.server.name])

    def _splits(self, _):
        self._json([{"name": name, "type": name} for name in self.server.environment.splits])

    def _tools(self, _):
        environment = self.server.environment
        terminal = None
        if environment.terminal is not None:
            name, argument = environment.terminal
            terminal = {"name": name, "arg": argument, "description": environment.tools[0]["description"]}
        self._json(
            {
                "tools": environment.tools,
                "terminal_tool": terminal,
                "supports_score_group": False,
                "message_block_types": ["text"],
            }
        )

    _task_tools = _tools

    def _num_tasks(self, body):
        self._json({"num_tasks": self.server.count(body.get("split"))})

    def _tasks(self, body):
        self._range({"split": body.get("split")})

    def _task(self, body):
        task = self.server.place(body.get("split"), body.get("index"))
        self._json({"task": task, "env_name": self.server.name})

    def _task_range(self, body):
        self._range(body)

    def _range(self, body):
        split = body.get("split")
        places = range(self.server.count(split))[slice(body.get("start"), body.get("stop"))]
        tasks = [{"split": split, "index": index} for index in places]
        self._json({"tasks": tasks, "env_name": self.server.name})

    def _create_session(self, body):
        sid = body.get("task_id") or str(uuid.uuid4())
        self._events(("task_id", sid), ("end", ""))

    def _create(self, body):
        place = body.get("task_spec") or {"split": body.get("split"), "index": body.get("index")}
        place = self.server.place(place.get("split"), place.get("index"))
        self.server.sessions[self._sid] = Session(self.server.environment, **place)
        self._json({"sid": self._sid})

    def _ping(self, _):
        self.server.session(self._sid)
        self._json({"status": "ok"})

    def _prompt(self, _):
        self._json([block(text) for _, text in self.server.session(self._sid).messages])

    def _messages(self, _):
        messages = self.server.session(self._sid).messages
        self._json([{"role": role, "blocks": [block(text)], "detail": None} for role, text in messages])

    def _call(self, body):
        session = self.server.session(self._sid)
        task_id = body.get("task_id")
        if task_id is not None:
            if task_id not in session.results:
                return self._events(("task_id", task_id), ("error", "unknown task_id"))
            return self._result(task_id, session.results[task_id])
        task_id = uuid.uuid4().hex
        try:
            result = session.call(self.server.environment, body.get("name"), body.get("input") or {})
        except Exception as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            return self._events(("task_id", task_id), ("error", f"{type(error).__name__}: {error}"))
        session.results[task_id] = json.dumps(result, separators=(",", ":"))
        self._result(task_id, session.results[task_id])

    def _delete(self, _):
        session = self.server.sessions.pop(self._sid, None)
        if session is not None:
            session.close()
        self._json({"sid": self._sid})

    _delete_session = _delete


def read(text):
    """Parses an argument as JSON, or returns the text."""
    try:
        return json.loads(text)
    except (TypeError, ValueError):
        return text


def main(library, identifier, arguments):
    module, package = PACKAGES[library]
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise SystemExit(
            f"The package {package} is not installed for {sys.executable}. Install it: "
            f"{sys.executable} -m pip install {package}"
        )
    # Makes environments next to the configuration importable.
    sys.path.insert(0, os.getcwd())
    args = {key: read(value) for key, value in json.loads(arguments).items()}
    environment = ADAPTERS[library](loaded, identifier, args)
    print(f"{library} {importlib.metadata.version(package)}: {identifier}", flush=True)
    Server(int(os.environ["PORT"]), environment).serve_forever()


if __name__ == "__main__":
    main(*sys.argv[1:])
