/** Our client in the sample environments of the official ORS servers: every documented reward and failure. */

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { AppError } from "../../src/core/errors.ts";
import type { JsonObject } from "../../src/core/json.ts";
import { connectEnvironments } from "../../src/core/openreward/environments.ts";
import type {
  EnvironmentOptions,
  EnvironmentSession,
  Message,
  RemoteEnvironment,
  TaskChoice,
  ToolCallOutcome,
} from "../../src/core/openreward/types.ts";
import type { HttpClient, HttpResponse } from "../../src/core/ports.ts";
import { systemClock } from "../../src/node/clock.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { systemRandom } from "../../src/node/random.ts";
import { silentLog } from "../fakes/silentLog.ts";
import { kitPython, type OfficialServer, PACKAGES, startOfficialServer } from "./openrewardKit.ts";

const http = createHttpClient();
afterAll(() => http.close());

/** Name of a tool, its arguments, the reward it must bring. */
type Step = readonly [tool: string, input: JsonObject, reward: number | null];

interface Play {
  readonly environment: string;
  readonly index: number;
  readonly steps: readonly Step[];
  /** False when the last step does not end the episode. */
  readonly ends?: false;
}

const REWARDS: readonly (readonly (number | null)[])[] = [
  [null, null, 1],
  [0, 0, 0],
  [-1, 0.5, -0.25],
  [null, null],
  [0.1, 0.2, 0.7, 1],
  [1e-9, 1e6, 3],
  [0.5],
  [0.1, 0.1, 0.1, 0.1, 0.1],
];
const BOOKING = { room: "double", nights: 2, guests: [{ name: "Zoë 😀", age: 30 }, { name: "B" }] };

const PLAYS: readonly Play[] = [
  {
    environment: "probe",
    index: 3,
    steps: [
      ["look", {}, null],
      ["add", { amount: 4 }, 0.1],
      ["add", { amount: -2 }, -0.1],
      ["add", { amount: 0 }, 0],
      ["picture", {}, 0.25],
      ["add", { amount: 8 }, 0.1],
      ["submit", { value: 13 }, 1],
    ],
  },
  { environment: "probe", index: 0, steps: [["submit", { value: 10 }, 0.5]] },
  { environment: "probe", index: 0, steps: [["submit", { value: 11 }, -1]] },
  ...REWARDS.map((rewards, index): Play => {
    const steps = rewards.map((reward): Step => ["step", {}, reward]);
    return { environment: "rewards", index, steps, ...(index === 7 ? { ends: false } : {}) };
  }),
  ...["red", "green", "blue"].map((color, index): Play => {
    return { environment: "pictures", index, steps: [["answer", { colour: color }, 1]] };
  }),
  { environment: "pictures", index: 1, steps: [["answer", { colour: "blue" }, 0]] },
  { environment: "setupcases", index: 0, steps: [["check", {}, 1]] },
  { environment: "setupcases", index: 1, steps: [["check", {}, 1]] },
  { environment: "setupcases", index: 7, steps: [["check", {}, 1]] },
  { environment: "slow", index: 0, steps: [["once", { seconds: 12 }, 1]] },
  { environment: "faulty", index: 0, steps: [["fine", {}, 1]] },
  {
    environment: "strict",
    index: 0,
    steps: [
      ["book", BOOKING, 0.5],
      ["book", BOOKING, 0.5],
    ],
  },
  {
    environment: "bulk",
    index: 0,
    steps: [
      ["big", { chars: 100_000, kind: "exotic" }, 0],
      ["many_blocks", { chars: 2000 }, null],
      ["echo", { text: "  é😀\u2028".repeat(200) }, 1],
    ],
  },
  { environment: "manytasks", index: 1199, steps: [["answer", { value: 1199 * 7 }, 1]] },
  { environment: "manytasks", index: 5, steps: [["answer", { value: 1 }, 0]] },
  { environment: "indexonly", index: 99_999, steps: [["answer", { value: 99_999 }, 1]] },
  {
    environment: "taskscoped",
    index: 0,
    steps: [
      ["hint", {}, null],
      ["left", {}, 1],
    ],
  },
  { environment: "taskscoped", index: 1, steps: [["right", {}, 1]] },
  {
    environment: "withtoolset",
    index: 2,
    steps: [
      ["double", { value: 4 }, null],
      ["answer", { value: 8 }, 1],
    ],
  },
  {
    environment: "overlap",
    index: 0,
    steps: [
      ["tick", { seconds: 0.1 }, null],
      ["tock", { seconds: 0.1 }, null],
      ["finish", { seconds: 0.1 }, 1],
    ],
  },
];

/** Only the newer package has terminal tools, conversations and groups. */
const NEWER_PLAYS: readonly Play[] = [
  { environment: "notools", index: 1, steps: [["grade", { answer: "It is train-1." }, 1]] },
  { environment: "notools", index: 1, steps: [["grade", { answer: "No idea." }, 0]] },
  {
    environment: "terminalstate",
    index: 1,
    steps: [
      ["press", {}, null],
      ["press", {}, null],
      ["grade", {}, 1],
    ],
  },
  { environment: "conversation", index: 0, steps: [["answer", { answer: "A key." }, 1]] },
  { environment: "group", index: 0, steps: [["answer", { answer: "x" }, null]] },
];

describe.skipIf(kitPython === null).concurrent.each(PACKAGES)(
  "the client against the server of %s",
  (packageName) => {
    const isNewer = packageName === "openreward";
    let official: OfficialServer;
    beforeAll(async () => {
      official = await startOfficialServer(packageName);
    });
    afterAll(() => official?.stop());

    function remote(
      name: string,
      client: HttpClient = http,
      options: EnvironmentOptions = {},
    ): RemoteEnvironment {
      return connectEnvironments({
        http: client,
        clock: systemClock,
        random: systemRandom,
        log: silentLog,
        baseUrl: official.url,
        apiKey: "the-key",
        userAgent: "tinker-rl/test",
      }).environment(`local/${name}`, options);
    }

    async function within<T>(
      environment: RemoteEnvironment,
      task: Pick<TaskChoice, "index" | "secrets">,
      work: (session: EnvironmentSession) => Promise<T>,
    ): Promise<T> {
      const session = await environment.openSession({ split: "train", ...task });
      try {
        return await work(session);
      } finally {
        await session.close();
      }
    }

    const plays = isNewer ? [...PLAYS, ...NEWER_PLAYS] : PLAYS;
    it.each(plays)("earns the documented rewards of $environment, task $index", async (play) => {
      await within(remote(play.environment), play, async (session) => {
        const { tools, terminalTool } = await session.tools();
        const names = [...tools.map(({ name }) => name), terminalTool?.name];
        expect((await session.prompt()).length).toBeGreaterThan(0);
        const outcomes: ToolCallOutcome[] = [];
        for (const [tool, input] of play.steps) {
          expect(names).toContain(tool);
          outcomes.push(await session.callTool(tool, input));
        }
        expect(outcomes).toMatchObject(
          play.steps.map(([, , reward], i) => {
            const finished = i === play.steps.length - 1 && play.ends !== false;
            return { kind: "result", reward, finished };
          }),
        );
      });
    });

    it("is played in every environment that the server has", async () => {
      const response = await fetch(`${official.url}/list_environments`);
      const played = new Set([...plays.map(({ environment }) => environment), "secret"]);
      expect(
        z
          .array(z.string())
          .parse(await response.json())
          .sort(),
      ).toEqual([...played].sort());
    });

    it("counts the tasks of every split, and lists the splits", async () => {
      const environment = remote("probe");
      const splits = await environment.splits();
      expect(splits).toContainEqual({ name: "hard", type: "test" });
      const counts = splits.map(async ({ name }) => [name, await environment.numTasks(name)]);
      expect(Object.fromEntries(await Promise.all(counts))).toEqual({
        train: 20,
        validation: 5,
        test: 5,
        hard: 3,
        odd: 2,
      });
      await environment.release();
    });

    it("brings long and awkward texts over unchanged", async () => {
      await within(remote("bulk"), { index: 0 }, async (session) => {
        const prompt = await session.prompt();
        const lengths = prompt.map(({ blocks }) =>
          blocks.map((block) => (block.type === "text" ? [...block.text].length : 0)),
        );
        expect(lengths).toEqual([[9000, 5000]]);
        for (const kind of ["ascii", "spaces", "emoji", "lines", "exotic"]) {
          const outcome = await session.callTool("big", { chars: 30_000, kind });
          if (outcome.kind !== "result") throw new Error(outcome.error);
          const text = outcome.blocks
            .map((block) => (block.type === "text" ? block.text : ""))
            .join("");
          expect(outcome.metadata).toEqual({
            code_points: 30_000,
            sha256: createHash("sha256").update(text).digest("hex"),
          });
        }
      });
    });

    it("asks for a call again whose stream was cut, and the tool runs once", async () => {
      await within(remote("slow", cuttingFirstCall(http)), { index: 0 }, async (session) => {
        expect(await session.callTool("once", { seconds: 1 })).toMatchObject({
          reward: 1,
          metadata: { runs: 1 },
        });
      });
    });

    it.each([
      ["crash", "first line\nsecond line\n\nlast line"],
      ["crash_silent", "no message given"],
      ["wrong_type", ""],
    ])(
      "distinguishes a failure of the environment (%s) from a mistake of the model",
      async (tool, words) => {
        await within(remote("faulty"), { index: 0 }, async (session) => {
          const call = session.callTool(tool, {});
          await expect(call).rejects.toMatchObject({
            code: "environment-tool-crashed",
            message: tool === "crash" ? expect.stringContaining(words) : expect.any(String),
          });
        });
      },
    );

    it.each([
      ["no_such_tool", {}, "not_found"],
      ["book", { ...BOOKING, nights: 15 }, "input_validation"],
      ["book", { ...BOOKING, extra: 1 }, "input_validation"],
      ["book", {}, "input_validation"],
    ])(
      "hands a refused call back (%s %j: %s), and the session continues",
      async (tool, input, reason) => {
        await within(remote("strict"), { index: 0 }, async (session) => {
          expect(await session.callTool(tool, input)).toMatchObject({ kind: "rejected", reason });
          expect(await session.callTool("book", BOOKING)).toMatchObject({ reward: 0.5 });
        });
      },
    );

    it.each([
      [{ demo_token: "open-sesame" }, 1],
      [{ demo_token: { value: "open-sesame", allowedDomains: ["api.example.com"] } }, 1],
      [{ demo_token: "wrong" }, 0],
      [{}, -1],
    ])("hands over the secrets %j, and never its own key", async (secrets, reward) => {
      await within(remote("secret"), { index: 0, secrets }, async (session) => {
        const metadata = { names: Object.keys(secrets), api_key_sent: false };
        expect(await session.callTool("unlock", {})).toMatchObject({ reward, metadata });
      });
    });

    it("rides out a set-up of 35 s", async () => {
      await within(remote("setupcases"), { index: 2 }, async (session) => {
        await session.prompt();
        expect(await session.callTool("check", {})).toMatchObject({ reward: 1 });
      });
    });

    it.each([
      [3, "environment-tool-crashed", "setup failed on purpose"],
      [4, "environment-protocol", "setup refused on purpose"],
      [5, "environment-tool-crashed", "constructor failed on purpose"],
      [6, "environment-tool-crashed", "prompt failed on purpose"],
    ])("reports what went wrong before the first call of task %i", async (index, code, words) => {
      const prompt = within(remote("setupcases"), { index }, (session) => session.prompt());
      await expect(prompt).rejects.toMatchObject({ code, message: expect.stringContaining(words) });
    });

    it("suggests a name for one that does not exist", async () => {
      const environment = remote("prob");
      await expect(environment.numTasks("train")).rejects.toMatchObject({
        code: "environment-not-found",
        data: { near: ["local/probe"] },
      });
    });

    it("learns that a toolset is refused, and that variables of a session are not", async () => {
      const refused = remote("probe", http, { toolsetName: "codex" });
      await expect(
        within(refused, { index: 0 }, (session) => session.tools()),
      ).rejects.toMatchObject({
        code: "environment-setting",
        configPath: "environments.local/probe.toolset_name",
      });
      const allowed = remote("probe", http, { sessionEnv: { OPENAI_BASE_URL: "http://x" } });
      expect(await within(allowed, { index: 0 }, (session) => session.prompt())).toHaveLength(1);
    });

    it.runIf(isNewer)("may call at once, and learns which call the end overtook", async () => {
      await within(remote("overlap"), { index: 0 }, async (session) => {
        const calls = [
          ["tick", 0.1],
          ["tock", 3],
          ["finish", 0.5],
        ] as const;
        const outcomes = await Promise.all(
          calls.map(([tool, seconds]) => session.callTool(tool, { seconds })),
        );
        expect(outcomes).toMatchObject([
          { kind: "result", finished: false },
          { kind: "rejected", reason: "episode_finished" },
          { kind: "result", finished: true, reward: 1 },
        ]);
      });
    });

    it.runIf(isNewer)("learns that the episode is over when it calls once more", async () => {
      await within(remote("faulty"), { index: 0 }, async (session) => {
        await session.callTool("fine", {});
        expect(await session.callTool("fine", {})).toMatchObject({ reason: "episode_finished" });
      });
    });

    it.runIf(isNewer)("brings a conversation over message by message", async () => {
      const conversation = await within(remote("conversation"), { index: 0 }, (session) =>
        session.prompt(),
      );
      const text = (said: string) => ({ type: "text", text: said });
      const image = { type: "image", mimeType: "image/png", data: expect.any(String) };
      expect(conversation).toEqual([
        { role: "system", blocks: [text("Be brief.")] },
        { role: "user", blocks: [text("What is in the box?"), image] },
        {
          role: "assistant",
          blocks: [
            { type: "reasoning", text: "I must look." },
            text("Let me look."),
            { type: "tool_call", id: "c1", name: "open_box", input: { lid: "top" } },
          ],
        },
        {
          role: "user",
          blocks: [{ type: "tool_result", callId: "c1", blocks: [text("a key")], isError: false }],
        },
        { role: "user", blocks: [text("So, what is it?")] },
      ]);
    });

    it.runIf(isNewer)("sees terminal tools and group scoring", async () => {
      await within(remote("notools"), { index: 0 }, async (session) => {
        expect(await session.tools()).toMatchObject({
          tools: [],
          terminalTool: { name: "grade", arg: "answer" },
        });
      });
      await within(remote("group"), { index: 0 }, async (session) => {
        const messageBlockTypes = ["text", "image", "reasoning", "tool_call", "tool_result"];
        const offers = { supportsGroupScoring: true, messageBlockTypes };
        expect(await session.tools()).toMatchObject(offers);
      });
    });

    it.runIf(isNewer)("has a group scored, and continues after a judge that failed", async () => {
      const call = { type: "tool_call", id: "c1", name: "answer", input: { answer: "5" } } as const;
      const heard = { type: "tool_result", callId: "c1", blocks: [], isError: false } as const;
      const candidates = [1, 2, 4].map((length): readonly Message[] => [
        {
          role: "assistant",
          blocks: [
            { type: "reasoning", text: "Hm." },
            { type: "text", text: "x".repeat(length) },
            call,
          ],
        },
        { role: "user", blocks: [heard] },
      ]);
      await within(remote("group"), { index: 0 }, async (session) => {
        const failing = session.scoreGroup([]);
        await expect(failing).rejects.toMatchObject({
          code: "environment-tool-crashed",
          message: expect.stringContaining("nothing to judge"),
        });
        expect(await session.scoreGroup(candidates)).toEqual([0.25, 0.5, 1]);
      });
      const unscored = within(remote("probe"), { index: 0 }, (session) =>
        session.scoreGroup(candidates),
      );
      await expect(unscored).rejects.toMatchObject({ code: "environment-session-lost" });
    });
  },
);

/** Breaks the first stream of a call right after its first bytes. */
function cuttingFirstCall(client: HttpClient): HttpClient {
  let isCut = false;
  return {
    send: async (request) => {
      const response = await client.send(request);
      if (isCut || !request.url.endsWith("/call")) return response;
      isCut = true;
      return { ...response, stream: () => firstChunk(response) };
    },
  };
}

async function* firstChunk(response: HttpResponse): AsyncGenerator<Uint8Array> {
  for await (const chunk of response.stream()) {
    yield chunk;
    break;
  }
  throw new AppError("transport", "cut", { data: { sent: true } });
}
