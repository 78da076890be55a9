/** Our client in the sample environments of the official ORS servers: what the whole run in `trainOfficial.test.ts` does not cover. */

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json.ts";
import type {
  EnvironmentOptions,
  EnvironmentSession,
  Message,
  RemoteEnvironment,
  TaskChoice,
} from "../../src/core/openreward/types.ts";
import type { HttpClient } from "../../src/core/ports.ts";
import { createHttpClient } from "../../src/node/http.ts";
import { cuttingFirstCall } from "../fakes/cutCall.ts";
import { environmentsAt } from "./environmentsAt.ts";
import { kitPython, type OfficialServer, PACKAGES, startOfficialServer } from "./openrewardKit.ts";

const http = createHttpClient();
afterAll(() => http.close());

/** Tasks beyond the first page, and texts in many parts. */
const PLAYS: readonly (readonly [
  environment: string,
  index: number,
  tool: string,
  input: JsonObject,
])[] = [
  ["bulk", 0, "many_blocks", { chars: 2000 }],
  ["manytasks", 1199, "answer", { value: 1199 * 7 }],
  ["indexonly", 99_999, "answer", { value: 99_999 }],
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
      return environmentsAt(official.url, client).environment(`local/${name}`, options);
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

    it.each(PLAYS)("plays %s, task %i", async (name, index, tool, input) => {
      await within(remote(name), { index }, async (session) => {
        const reward = tool === "answer" ? 1 : null;
        expect(await session.callTool(tool, input)).toMatchObject({ kind: "result", reward });
      });
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

    it("transfers long and awkward texts unchanged", async () => {
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

    it("repeats a call whose stream was interrupted, and the tool runs once", async () => {
      await within(remote("slow", cuttingFirstCall(http)), { index: 0 }, async (session) => {
        expect(await session.callTool("once", { seconds: 1 })).toMatchObject({
          reward: 1,
          metadata: { runs: 1 },
        });
      });
    });

    it.each([
      [{ demo_token: "open-sesame" }, 1],
      [{ demo_token: "wrong" }, 0],
      [{}, -1],
    ])("sends the secrets %j, and never its own key", async (secrets, reward) => {
      await within(remote("secret"), { index: 0, secrets }, async (session) => {
        const metadata = { names: Object.keys(secrets), api_key_sent: false };
        expect(await session.callTool("unlock", {})).toMatchObject({ reward, metadata });
      });
    });

    it("suggests a name for one that does not exist", async () => {
      const environment = remote("prob");
      await expect(environment.numTasks("train")).rejects.toMatchObject({
        code: "environment-not-found",
        data: { near: ["local/probe"] },
      });
    });

    it("receives an error for a toolset, but not for session variables", async () => {
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

    it.runIf(isNewer)("may call concurrently, and learns which call came late", async () => {
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

    it.runIf(isNewer)("learns that the episode is over on the next call", async () => {
      await within(remote("faulty"), { index: 0 }, async (session) => {
        await session.callTool("fine", {});
        expect(await session.callTool("fine", {})).toMatchObject({ reason: "episode_finished" });
      });
    });

    it.runIf(isNewer)("transfers a conversation message by message", async () => {
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

    it.runIf(isNewer)("supports terminal tools and group scoring", async () => {
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

    it.runIf(isNewer)("requests group scores, and continues after a failed judge", async () => {
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
