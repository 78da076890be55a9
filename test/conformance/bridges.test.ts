/** Environments of other libraries, served by our bridge and played by our client: the rewards match those of each library itself. */

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { environmentServer } from "../../src/core/config/fields/environmentServers.ts";
import { parseConfig } from "../../src/core/config/parse.ts";
import { checkEnvironment, findingsOf } from "../../src/core/environmentCheck/checkEnvironment.ts";
import { isAppError } from "../../src/core/errors.ts";
import type { Json, JsonObject } from "../../src/core/json.ts";
import type { EnvironmentSession, RemoteEnvironment } from "../../src/core/openreward/types.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { CleanupStack } from "../../src/trainer/services/cleanupStack.ts";
import { startManagedServer } from "../../src/trainer/services/managedServer.ts";
import { PROGRAM_FOLDER } from "../integration/trainProgram.ts";
import { environmentsAt } from "./environmentsAt.ts";
import { preparePython } from "./python.ts";

const run = promisify(execFile);
const requirements = new URL("bridges.requirements.txt", import.meta.url);
const REFERENCE = fileURLToPath(new URL("bridges.py", import.meta.url));
const versions = "3.11 to 3.13";
const python = await preparePython({ name: "bridges", requirements, versions, isComplete: true });

const TASKSET = `import verifiers.v1 as vf


class MySumsData(vf.TaskData):
    total: int


class MySumsTask(vf.Task[MySumsData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        return float(trace.last_reply.strip() == str(self.data.total))

    @vf.reward(weight=0.25)
    async def short(self, trace: vf.Trace) -> float:
        return 1.0 if len(trace.last_reply) < 20 else 0.0


class MySumsConfig(vf.TasksetConfig):
    num_tasks: int = 20


class MySumsTaskset(vf.Taskset[MySumsTask, MySumsConfig]):
    def load(self) -> list[MySumsTask]:
        return [
            MySumsTask(MySumsData(prompt=f"What is {n} + 7?", total=n + 7), self.config.task)
            for n in range(self.config.num_tasks)
        ]
`;

const HIGHER = `import random

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class Guess(Action):
    """Guess the number."""

    number: int = Field(ge=1, le=20, description="From 1 to 20")


class Hint(Observation):
    hint: str = ""


class HigherEnvironment(Environment):
    def reset(self, seed=None, episode_id=None, **kwargs) -> Hint:
        self._number = random.Random(seed).randint(1, 20)
        self._tries = 0
        return Hint(hint="Guess a number from 1 to 20.", done=False, reward=0.0)

    def step(self, action: Guess, timeout_s=None, **kwargs) -> Hint:
        self._tries += 1
        if action.number == self._number:
            return Hint(hint="right", done=True, reward=1.0 / self._tries)
        word = "higher" if self._number > action.number else "lower"
        return Hint(hint=word, done=self._tries == 5, reward=0.0)

    @property
    def state(self) -> State:
        return State(step_count=self._tries)
`;

/** Serves the environment like OpenEnv, and prints its port. The server answers a guess of 20 even if a second session makes it, too. */
const HIGHER_SERVER = `import socket
import threading

import uvicorn
from higher import Guess, HigherEnvironment, Hint
from openenv.core.env_server.http_server import create_fastapi_app

meeting = threading.Barrier(2)
step = HigherEnvironment.step


def step_together(self, action: Guess, timeout_s=None, **kwargs) -> Hint:
    if action.number == 20:
        meeting.wait(timeout=30)
    return step(self, action)


HigherEnvironment.step = step_together
HigherEnvironment.SUPPORTS_CONCURRENT_SESSIONS = True
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
app = create_fastapi_app(HigherEnvironment, Guess, Hint, max_concurrent_envs=2)
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
`;

describe.skipIf(python === null)("the bridge", () => {
  let folder = "";
  /** The folder from which the taskset made by `vf-init` can be imported. */
  let taskset = "";

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tinker-rl-test-"));
    await writeFile(join(folder, "higher.py"), HIGHER);
    const init = ["-c", "from verifiers.v1.cli.init import main; main()", "my-sums"];
    await run(python ?? "", init, { cwd: folder });
    taskset = join(folder, "environments", "my_sums");
    await writeFile(join(taskset, "my_sums", "taskset.py"), TASKSET);
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The rewards of plays as computed by the library itself. */
  async function reference<T>(library: string, plays: Json, cwd = folder): Promise<T> {
    const env = { ...process.env, PYTHONPATH: cwd };
    const args = [REFERENCE, library, JSON.stringify(plays)];
    const { stdout } = await run(python ?? "", args, { cwd, env });
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as T; // our own program writes it
  }

  /** Serves an environment like the trainer, while `work` plays in it. */
  async function bridged(
    server: JsonObject,
    work: (environment: RemoteEnvironment) => Promise<void>,
  ): Promise<void> {
    const name = "bridged";
    const text = JSON.stringify({
      model_name: "local/tiny-tool",
      batch_size: 1,
      environments: {
        [name]: { server: { python, ...server }, splits: { train: {} }, num_rollouts: 2 },
      },
    });
    const parsed = parseConfig(text, { path: "run.json", overrides: [] });
    if (!parsed.ok) throw new Error("The configuration is valid.");
    const chosen = environmentServer(parsed.config, name);
    if (chosen.kind !== "command") throw new Error("A bridge is a command.");
    const cleanup = new CleanupStack();
    const http = createHttpClient();
    cleanup.add(() => http.close());
    let output = "";
    try {
      const baseUrl = await startManagedServer({
        environment: name,
        server: chosen,
        folder,
        variables: {},
        programs: { folder: PROGRAM_FOLDER },
        http,
        onOutput: (said) => {
          output += said;
        },
        onCrash: (what, said) => {
          output += `${what}${said}`;
        },
        clean: (said) => said,
        cleanup,
        signal: new AbortController().signal,
      });
      await work(environmentsAt(baseUrl, http).environment(name));
    } catch (error) {
      throw isAppError(error) ? error : new Error(`${String(error)}\n${output}`, { cause: error });
    } finally {
      await cleanup.closeAll();
    }
  }

  async function inTask<T>(
    environment: RemoteEnvironment,
    index: number,
    play: (session: EnvironmentSession) => Promise<T>,
  ): Promise<T> {
    const session = await environment.openSession({ split: "train", index });
    try {
      return await play(session);
    } finally {
      await session.close();
    }
  }

  /** Makes a call that must succeed. */
  async function called(session: EnvironmentSession, tool: string, input: JsonObject) {
    const outcome = await session.callTool(tool, input);
    if (outcome.kind !== "result") throw new Error(outcome.error);
    return { reward: outcome.reward, finished: outcome.finished };
  }

  it("returns the scores of reasoning-gym", async () => {
    const plays = [null, "12", "", null, "not a number"];
    const expected = await reference<readonly { given: string; reward: number }[]>(
      "reasoning-gym",
      plays,
    );
    const args = { size: 8, seed: 5, max_terms: 2 };
    await bridged({ bridge: "reasoning-gym", id: "chain_sum", args }, async (environment) => {
      expect(await environment.numTasks("train")).toBe(8);
      for (const [index, { given, reward }] of expected.entries()) {
        const played = await inTask(environment, index, (session) =>
          called(session, "answer", { answer: given }),
        );
        expect(played).toEqual({ reward, finished: true });
      }
      const right = expected.filter(({ reward }) => reward === 1);
      expect(right).toHaveLength(2);
    });
  });

  it.each(["chain_sum", "spell_backward"])(
    "causes no findings in the environment check of %s",
    async (id) => {
      await bridged({ bridge: "reasoning-gym", id, args: { size: 200 } }, async (remote) => {
        const report = await checkEnvironment({
          remote,
          clock: systemClock,
          seed: 1,
          tasks: 32,
          split: null,
          secrets: {},
          maxTotalTokens: null,
        });
        expect(findingsOf(report)).toEqual([]);
      });
    },
  );

  it("plays a textarena game as textarena does", async () => {
    const low = Array.from({ length: 12 }, () => "[1]");
    const search = Array.from({ length: 12 }, (_, i) => `[${2 * i + 1}]`);
    const plays = [low, search, ["no number", ...low], search];
    const expected = await reference<readonly { taken: number; reward: number | null }[]>(
      "textarena",
      plays,
    );
    await bridged({ bridge: "textarena", id: "GuessTheNumber-v0" }, async (environment) => {
      for (const [index, { taken, reward }] of expected.entries()) {
        const played = await inTask(environment, index, async (session) => {
          for (const [turn, action] of (plays[index] ?? []).entries()) {
            const outcome = await called(session, "act", { action });
            if (outcome.finished) return { taken: turn + 1, reward: outcome.reward };
          }
          return { taken: plays[index]?.length, reward: null };
        });
        expect(played).toEqual({ taken, reward });
      }
    });
  });

  it("shows the rules and the board of a textarena game that repeats nothing else", async () => {
    await bridged({ bridge: "textarena", id: "TowerOfHanoi-v0-train" }, async (environment) => {
      await inTask(environment, 0, async (session) => {
        for (const [action, board] of [
          ["[A C]", "A: [3, 2]\nB: []\nC: [1]"],
          ["[A B]", "A: [3]\nB: [2]\nC: [1]"],
          ["no move", "A: [3]\nB: [2]\nC: [1]"],
        ] as const) {
          const outcome = await session.callTool("act", { action });
          const blocks = outcome.kind === "result" ? outcome.blocks : [];
          expect(blocks).toEqual([{ type: "text", text: expect.stringContaining(board) }]);
          expect(blocks[0]).toMatchObject({ text: expect.stringMatching(/^You are playing/) });
        }
      });
    });
  });

  it("ends a textarena game that uses the reward of an invalid move as its reason", async () => {
    await bridged({ bridge: "textarena", id: "Countdown-v0" }, async (environment) => {
      await inTask(environment, 0, async (session) => {
        expect(await called(session, "act", { action: "no move" })).toMatchObject({
          finished: false,
        });
        const { reward, finished } = await called(session, "act", { action: "no move" });
        expect(finished).toBe(true);
        expect(reward).toBeGreaterThan(0);
      });
    });
  });

  it("reserves tasks of a verifiers taskset for training", async () => {
    const server = { bridge: "verifiers", id: "my-sums", cwd: taskset, args: { test_size: 20 } };
    await expect(bridged(server, async () => undefined)).rejects.toThrow(
      "my-sums has 20 tasks: test_size 20 leaves none to train on.",
    );
  });

  it("returns the rewards of a verifiers taskset created by its own vf-init", async () => {
    const plays = ["7", "8", "10", "a very long answer that is wrong"];
    const expected = await reference<readonly number[]>("verifiers", plays, taskset);
    expect(expected).toEqual([1.25, 1.25, 0.25, 0]);
    const server = { bridge: "verifiers", id: "my-sums", cwd: taskset };
    await bridged(server, async (environment) => {
      for (const [index, text] of plays.entries()) {
        const played = await inTask(environment, index, (session) =>
          called(session, "answer", { text }),
        );
        expect(played).toEqual({ reward: expected[index], finished: true });
      }
    });
  });

  describe("of OpenEnv", () => {
    const plays = Array.from({ length: 4 }, () => [5, 10, 15, 18, 19]);
    let expected: readonly (readonly { reward: number; done: boolean }[])[] = [];

    beforeAll(async () => {
      expected = await reference("openenv", plays);
    });

    async function playAll(environment: RemoteEnvironment): Promise<void> {
      for (const [index, steps] of expected.entries()) {
        await inTask(environment, index, async (session) => {
          const refused = await session.callTool("step", { number: 99 });
          expect(refused).toMatchObject({ kind: "rejected", reason: "input_validation" });
          for (const [turn, { reward, done }] of steps.entries()) {
            const number = plays[index]?.[turn] ?? 0;
            expect(await called(session, "step", { number })).toEqual({ reward, finished: done });
            if (done) break;
          }
        });
      }
    }

    it("steps through a class", async () => {
      const id = "higher:HigherEnvironment";
      await bridged({ bridge: "openenv", id, cwd: folder }, playAll);
    });

    it("steps through an environment that OpenEnv serves", async () => {
      await writeFile(join(folder, "serve_higher.py"), HIGHER_SERVER);
      const server = spawn(python ?? "", ["serve_higher.py"], { cwd: folder });
      try {
        const [port] = (await once(server.stdout, "data")) as [Buffer];
        const id = `http://127.0.0.1:${String(port).trim()}`;
        await bridged({ bridge: "openenv", id }, async (environment) => {
          await playAll(environment);
          // Two sessions at once.
          const playOne = (session: EnvironmentSession) => called(session, "step", { number: 20 });
          const played = await Promise.all(
            [0, 1].map((index) => inTask(environment, index, playOne)),
          );
          expect(played).toHaveLength(2);
        });
      } finally {
        server.kill();
      }
    });
  });

  it("says how to install a library that its Python lacks", async () => {
    await run(python ?? "", ["-m", "venv", "--without-pip", join(folder, "empty")]);
    const empty = join(folder, "empty", process.platform === "win32" ? "Scripts" : "bin", "python");
    const server = { bridge: "reasoning-gym", id: "chain_sum", python: empty };
    await expect(bridged(server, async () => undefined)).rejects.toThrow(
      `${empty} -m pip install reasoning-gym`,
    );
  });

  it.each([
    [{ bridge: "reasoning-gym", id: "no_such_task" }, "no_such_task"],
    [{ bridge: "textarena", id: "Nim-v0" }, "Nim-v0 cannot be played by one player"],
    [
      { bridge: "textarena", id: "NoSuchGame-v0" },
      "textarena could not make NoSuchGame-v0: Environment NoSuchGame-v0",
    ],
    [
      { bridge: "textarena", id: "PublicGoodsGame-v0" },
      "PublicGoodsGame-v0 cannot be played by one player: it is a game for several.",
    ],
    [{ bridge: "openenv", id: "higher" }, "id is higher, neither MODULE:CLASS"],
    [{ bridge: "openenv", id: "http://127.0.0.1:9" }, "no OpenEnv server at http://127.0.0.1:9"],
    [{ bridge: "verifiers", id: "no-such-taskset" }, "no_such_taskset"],
  ])("reports why it cannot serve %j", async (server, words) => {
    await expect(bridged(server, async () => undefined)).rejects.toThrow(words);
  });
});
