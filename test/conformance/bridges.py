"""Plays of each library by its own means, for bridges.test.ts: prints the rewards of scripted answers as JSON."""

import asyncio
import contextlib
import http.server
import json
import random
import sys
import threading


def reasoning_gym_plays(answers):
    import reasoning_gym

    dataset = reasoning_gym.create_dataset("chain_sum", size=8, seed=5, max_terms=2)
    rewards = []
    for place, answer in enumerate(answers):
        entry = dataset[place]
        given = entry["answer"] if answer is None else answer
        rewards.append({"given": given, "reward": dataset.score_answer(given, entry)})
    return rewards


def textarena_plays(games):
    import textarena

    played = []
    for seed, actions in enumerate(games):
        random.seed(seed)
        game = textarena.make("GuessTheNumber-v0")
        game.reset(num_players=1, seed=seed)
        taken, done = 0, False
        for action in actions:
            game.get_observation()
            done, _ = game.step(action=action)
            taken += 1
            if done:
                break
        rewards, _ = game.close() if done else ({0: None}, None)
        played.append({"taken": taken, "reward": rewards[0]})
    return played


def verifiers_plays(answers):
    """Runs the tasks by verifiers' own `Agent`; its model is a server here that says the next answer."""
    import verifiers.v1 as vf
    from verifiers.v1.harnesses.null import NullHarnessConfig
    from verifiers.v1.utils.loaders import load_taskset, taskset_config_type

    tasks = list(load_taskset(taskset_config_type("my-sums")(id="my-sums")))
    with scripted_model(answers) as base_url:
        config = vf.AgentConfig(
            harness=NullHarnessConfig(id="null"),
            runtime=vf.SubprocessConfig(),
            model="scripted",
            client=vf.EvalClientConfig(base_url=base_url, api_key_var="NO_KEY"),
        )
        return asyncio.run(run_tasks(config, tasks[: len(answers)]))


@contextlib.contextmanager
def scripted_model(answers):
    """Serves chat completions that say the answers in turn, whatever is asked; yields the base address."""
    left = iter(answers)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            choice = {
                "index": 0,
                "message": {"role": "assistant", "content": next(left)},
                "finish_reason": "stop",
            }
            named = {"id": "chat", "object": "chat.completion", "created": 0, "model": "scripted"}
            body = json.dumps({**named, "choices": [choice]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()


async def run_tasks(config, tasks):
    import openai
    import verifiers.v1 as vf
    from verifiers.v1.harnesses.null import NullHarness
    from verifiers.v1.runtimes import ProgramResult

    class InProcess(NullHarness):
        """The null harness without `uv`: one call of the model, made in this process."""

        async def setup(self, runtime):
            pass

        async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data, **_):
            client = openai.AsyncOpenAI(base_url=endpoint, api_key=secret, max_retries=0)
            messages = [{"role": "user", "content": data.prompt}]
            await client.chat.completions.create(model=ctx.model, messages=messages)
            return ProgramResult(exit_code=0, stdout="", stderr="")

    agent = vf.Agent(config)
    agent.harness = InProcess(config.harness)
    rewards = []
    async with agent:
        for task in tasks:
            trace = await agent.run(task)
            if not trace.ok:
                raise RuntimeError(f"verifiers' own run failed: {trace.errors}")
            rewards.append(trace.reward)
    return rewards


def openenv_plays(plays):
    import importlib

    module = importlib.import_module("higher")
    played = []
    for seed, guesses in enumerate(plays):
        environment = module.HigherEnvironment()
        environment.reset(seed=seed)
        rewards = [environment.step(module.Guess(number=number)) for number in guesses]
        played.append([{"reward": seen.reward, "done": seen.done} for seen in rewards])
    return played


PLAYS = {
    "reasoning-gym": reasoning_gym_plays,
    "textarena": textarena_plays,
    "verifiers": verifiers_plays,
    "openenv": openenv_plays,
}

print(json.dumps(PLAYS[sys.argv[1]](json.loads(sys.argv[2]))))
