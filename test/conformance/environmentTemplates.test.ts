/** The templates of `env new`, on the openreward server: their own tests, and our client playing a right and a wrong answer. */

import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { AppError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import type { RemoteEnvironment } from "../../src/core/openreward/types.ts";
import type { EnvironmentTemplateKind } from "../../src/core/scaffold/environmentTemplates.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { writeEnvironment } from "../../src/trainer/scaffold/newEnvironment.ts";
import { listenAnywhere } from "../fakes/serveHere.ts";
import { environmentsAt } from "./environmentsAt.ts";
import { untilListening } from "./openrewardKit.ts";

const run = promisify(execFile);
const python = inject("python");
const TEMPLATES = fileURLToPath(new URL("../../src/trainer/scaffold/templates", import.meta.url));
const NAME = "demo-env";

type Call = readonly [tool: string, input: JsonObject];

interface Plays {
  readonly template: EnvironmentTemplateKind;
  /** For the first training task. */
  readonly right: readonly Call[];
  readonly wrong: readonly Call[];
}

const PLAYS: readonly Plays[] = [
  {
    template: "question",
    right: [["answer", { value: " 11. " }]],
    wrong: [["answer", { value: "12" }]],
  },
  {
    template: "tools",
    right: [
      ["keys", {}],
      ["lookup", { key: "K89" }],
      ["answer", { value: "961" }],
    ],
    wrong: [["answer", { value: "K89" }]],
  },
  {
    template: "state",
    right: [
      ["guess", { n: 15 }],
      ["guess", { n: 16 }],
    ],
    wrong: Array.from({ length: 5 }, (): Call => ["guess", { n: 99 }]),
  },
  {
    template: "code",
    right: [
      ["submit", { code: "def double(n):\n    return n" }],
      ["submit", { code: "def double(n):\n    return 2 * n" }],
    ],
    wrong: Array.from({ length: 3 }, (): Call => ["submit", { code: "print('1 of 1 passed')" }]),
  },
  {
    template: "judge",
    right: [["answer", { text: "good" }]],
    wrong: [["answer", { text: "bad" }]],
  },
];

const secrets = { openai_api_key: "key-for-tests" };
const http = createHttpClient();
const fileSystem = createFileSystem();
let judge: Server;
let judgeUrl = "";
let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "tinker-rl-templates-"));
  judgeUrl = await startJudge();
});
afterAll(async () => {
  judge?.close();
  await Promise.all([http.close(), fileSystem.close(), rm(root, { recursive: true })]);
});

describe.skipIf(python === null)("a new environment", () => {
  describe.each(PLAYS)("from the template $template", ({ template, right, wrong }) => {
    let folder: string;
    beforeAll(async () => {
      const written = await writeEnvironment(fileSystem, {
        name: NAME,
        template,
        folder: join(root, template),
        templatesFolder: TEMPLATES,
      });
      folder = join(root, template, written.folder);
    });

    it("passes its own tests", async () => {
      await run(python ?? "", ["-m", "pytest", "-q", folder], { env: environmentFor({}) });
    });

    it("is clean Python", async () => {
      // From within its folder, so that its modules count as first-party.
      const options = { cwd: join(TEMPLATES, template) };
      const ruff = async (...args: readonly string[]) =>
        run(python ?? "", ["-m", "ruff", "--isolated", ...args, "--no-cache", "."], options);
      await ruff("check", "--select", "E,F,I,B,UP,SIM,W");
      await ruff("format", "--check");
    });

    it("rewards a right answer with 1, and a wrong one with less", async () => {
      await served(folder, async (environment) => {
        expect(await environment.splits()).toEqual([
          { name: "train", type: "train" },
          { name: "test", type: "test" },
        ]);
        expect(await environment.numTasks("train")).toBeGreaterThan(7);
        await environment.release();
        expect(await play(environment, right)).toBeCloseTo(1);
        expect(await play(environment, wrong)).toBe(0);
      });
    });

    it("reports the line of an unreadable task", async () => {
      const tasks = join(folder, "tasks.jsonl");
      const lines = (await readFile(tasks, "utf8")).trimEnd().split("\n");
      await writeFile(tasks, `\ufeff${[...lines, "{"].join("\n")}`);
      const code = ["-c", "import environment; environment.load_tasks('train')"];
      await expect(run(python ?? "", code, { cwd: folder })).rejects.toMatchObject({
        stderr: expect.stringContaining(`tasks.jsonl, line ${lines.length + 1}: `),
      });
      await writeFile(tasks, lines.join("\n"));
    });
  });
});

/** Plays the first training task to its end, and resolves with the sum of its rewards. */
async function play(environment: RemoteEnvironment, calls: readonly Call[]): Promise<number> {
  const session = await environment.openSession({ split: "train", index: 0, secrets });
  try {
    expect((await session.prompt()).length).toBe(1);
    const malformed = await session.callTool("no_such_tool", {});
    expect(malformed).toMatchObject({ kind: "rejected", reason: "not_found" });
    let sum = 0;
    let isFinished = false;
    for (const [tool, input] of calls) {
      const outcome = await session.callTool(tool, input);
      if (outcome.kind === "rejected") throw new AppError("invariant", outcome.error);
      sum += outcome.reward ?? 0;
      isFinished = outcome.finished;
    }
    expect(isFinished).toBe(true);
    return sum;
  } finally {
    await session.close();
  }
}

/** Runs `environment.py` like the trainer: with its port in a variable. */
async function served(
  folder: string,
  work: (environment: RemoteEnvironment) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const child = spawn(python ?? "", [join(folder, "environment.py")], {
    env: environmentFor({ PORT: port, JUDGE_URL: judgeUrl }),
    stdio: "ignore",
  });
  try {
    const baseUrl = `http://127.0.0.1:${port}`;
    await untilListening(baseUrl);
    await work(environmentsAt(baseUrl, http).environment(NAME));
  } finally {
    child.kill();
  }
}

async function freePort(): Promise<string> {
  const server = createServer();
  const { port } = new URL(await listenAnywhere(server));
  server.close();
  return port;
}

/** An OpenAI-compatible judge that finds every criterion met by the answer `good`. */
async function startJudge(): Promise<string> {
  judge = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request));
    const { answer, criteria } = JSON.parse(messages[1].content);
    const met = criteria.map(() => answer === "good");
    const content = JSON.stringify({ addresses_grader: false, met });
    const message = { role: "assistant", content };
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        id: "c",
        object: "chat.completion",
        created: 0,
        model: "m",
        choices: [{ index: 0, finish_reason: "stop", message }],
      }),
    );
  });
  return `${await listenAnywhere(judge)}/v1`;
}

function environmentFor(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return { ...process.env, OPENREWARD_DISABLE_UPDATE_CHECK: "1", ...variables };
}
