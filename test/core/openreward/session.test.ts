import { describe, expect, it } from "vitest";
import type { Message } from "../../../src/core/openreward/types.ts";
import { harness } from "./harness.ts";
import {
  broken,
  cut,
  hanging,
  json,
  output,
  result,
  sid,
  starting,
  stream,
} from "./scriptedServer.ts";

const TASK = { split: "train", index: 3 };
const RESERVED = `event: task_id\ndata: ${sid}\n\n`;
const CALL = "POST /maze/call";
const TASK_ID = "event: task_id\ndata: job1\n\n";
const EXISTS = json(400, { detail: "Session already exists" });
const BLOCK = { type: "text", text: "A wall.", detail: null };

describe("an episode", () => {
  it("goes through the steps of a session in order, and closes once", async () => {
    const { server, open } = harness({
      "GET /maze/prompt": [json(200, [BLOCK])],
      "GET /maze/task_tools": [
        json(200, {
          tools: [{ name: "look", description: "Look.", input_schema: null }],
          terminal_tool: { name: "submit", arg: "answer", description: "Grade." },
        }),
      ],
      [CALL]: [result(output({ blocks: [BLOCK], reward: 0.5, metadata: { turn: 1 } }))],
    });
    const session = await open();
    expect(session.id).toBe(sid);
    const prompt = [{ role: "user", blocks: [{ type: "text", text: "A wall." }] }];
    expect(await session.prompt()).toEqual(prompt);
    expect(await session.prompt()).toEqual(prompt);
    expect(await session.tools()).toEqual({
      tools: [{ name: "look", description: "Look.", inputSchema: null }],
      terminalTool: { name: "submit", arg: "answer", description: "Grade." },
      supportsGroupScoring: false,
      messageBlockTypes: ["text", "image"],
    });
    expect(await session.callTool("look", {})).toEqual({
      kind: "result",
      blocks: [{ type: "text", text: "A wall." }],
      reward: 0.5,
      finished: false,
      metadata: { turn: 1 },
    });
    await Promise.all([session.close(), session.close()]);
    expect(server.seen.map(({ line }) => line)).toEqual([
      "POST /create_session",
      "POST /create",
      "GET /maze/messages",
      "GET /maze/prompt",
      "GET /maze/task_tools",
      CALL,
      "POST /delete",
      "POST /delete_session",
    ]);
    expect(server.requests("POST /create")[0]?.body).toEqual({
      env_name: "maze",
      split: "train",
      index: 3,
    });
  });

  it("takes the id from the end event if there is one", async () => {
    const { open, server } = harness({
      "POST /create_session": [
        stream('event: task_id\ndata: job\n\nevent: end\ndata: {"sid":"own"}\n\n'),
      ],
    });
    expect((await open()).id).toBe("own");
    expect(server.requests("POST /delete_session")).toHaveLength(0);
  });

  it("falls back to /tools on a server without /task_tools", async () => {
    const { open } = harness({ "GET /maze/tools": [json(200, { tools: [] })] });
    const session = await open();
    expect(await session.tools()).toMatchObject({ tools: [], terminalTool: null });
  });

  it("skips blocks of unknown type with one warning", async () => {
    const audio = { type: "audio", data: "x" };
    const { open, warnings } = harness({
      "GET /maze/prompt": [json(200, [audio, BLOCK])],
      [CALL]: [result(output({ blocks: [audio] }))],
    });
    const session = await open();
    expect((await session.prompt())[0]?.blocks).toHaveLength(1);
    expect(await session.callTool("look", {})).toMatchObject({ blocks: [] });
    expect(warnings).toHaveLength(1);
  });

  it("keeps image blocks", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const { open } = harness({ "GET /maze/prompt": [json(200, [{ ...image, detail: null }])] });
    expect(await (await open()).prompt()).toEqual([{ role: "user", blocks: [image] }]);
  });
});

describe("opening", () => {
  it("reports an environment at capacity immediately, with the delay that the server requests", async () => {
    const full = json(429, { detail: "maximum capacity" }, { "retry-after": "7" });
    const { open, server } = harness({ "POST /create_session": [full] });
    await expect(open()).rejects.toMatchObject({
      code: "environment-capacity",
      data: { environment: "local/maze", sid: null, retryAfterMs: 7000 },
    });
    expect(server.seen).toHaveLength(1);
  });

  it.each([
    ["a gateway's 503", json(503, { detail: "Deployment is at maximum capacity." })],
    ["an error event", stream("event: error\ndata: 429: maximum capacity reached\n\n")],
  ])("treats %s about capacity as an environment at capacity", async (_, answer) => {
    const { open, server } = harness({ "POST /create_session": [answer] });
    await expect(open()).rejects.toMatchObject({
      code: "environment-capacity",
    });
    expect(server.seen).toHaveLength(1);
  });

  it("frees the session when /create fails", async () => {
    const { open, server } = harness({ "POST /create": [json(400, { detail: "Invalid index" })] });
    await expect(open()).rejects.toMatchObject({
      code: "environment-protocol",
      message: expect.stringContaining("Invalid index"),
    });
    expect(server.seen.at(-1)?.line).toBe("POST /delete_session");
  });

  it.each([
    ["a broken connection", broken(true)],
    ["a body that breaks off", cut(200)],
    ["a gateway's 502", json(502, {})],
  ])("treats `Session already exists` after %s as success", async (_, lost) => {
    const { open } = harness({ "POST /create": [lost, EXISTS] });
    expect((await open()).id).toBe(sid);
  });

  it("treats a 500 from /create as the environment's own failure", async () => {
    const { open } = harness({ "POST /create": [json(500, { detail: "RuntimeError: no" })] });
    await expect(open()).rejects.toMatchObject({ code: "environment-tool-crashed" });
  });

  it("treats an immediate `Session already exists` as someone else's session", async () => {
    const exists = EXISTS;
    const first = harness({ "POST /create": [exists] });
    await expect(first.open()).rejects.toMatchObject({ code: "environment-protocol" });
  });

  it("waits for a starting environment, without using up attempts", async () => {
    const waits = Array.from({ length: 60 }, () => starting());
    const created = json(200, { sid });
    const { open, server, clock } = harness({ "POST /create": [...waits, created] });
    await open();
    expect(server.requests("POST /create")).toHaveLength(61);
    expect(clock.monotonic()).toBe(120_000);
  });

  it("gives up after 30 minutes", async () => {
    const { open, clock } = harness({ "POST /create": [starting()] });
    await expect(open()).rejects.toMatchObject({ code: "environment-unavailable" });
    expect(clock.monotonic()).toBe(30 * 60_000);
  });

  it("gives up on a server that does not answer in time, and frees what it reserved", async () => {
    const { environment, clock, server } = harness({ "POST /create": [hanging()] });
    const opening = environment.openSession(TASK, { answerLimitMs: 5_000 });
    await expect(clock.run(opening)).rejects.toMatchObject({
      code: "environment-unavailable",
      message: expect.stringMatching(/within 5 s.*session_timeout/),
    });
    expect(clock.monotonic()).toBe(5_000);
    expect(server.requests("POST /delete_session")).toHaveLength(1);
  });

  it("gives a starting environment more time than the answer limit", async () => {
    const waits = Array.from({ length: 60 }, () => starting());
    const { environment, clock } = harness({
      "POST /create_session": [...waits, stream(`${RESERVED}event: end\ndata: \n\n`)],
      "POST /create": [...waits, json(200, { sid })],
    });
    await clock.run(environment.openSession(TASK, { answerLimitMs: 5_000 }));
    expect(clock.monotonic()).toBe(240_000);
  });

  it("counts the time between the answer and the session as start-up of the environment", async () => {
    const { environment, clock } = harness({
      "POST /create_session": [
        stream(RESERVED, "hang"),
        stream(`${RESERVED}event: end\ndata: \n\n`),
      ],
    });
    await clock.run(environment.openSession(TASK, { answerLimitMs: 5_000 }));
    expect(clock.monotonic()).toBeGreaterThan(30_000);
  });

  it.each([
    ["seconds", "20", 20_000],
    ["a date", "Thu, 01 Jan 2026 00:00:20 GMT", 20_000],
    ["more than a minute", "3600", 60_000],
    ["an unreadable form", "-5 soon", 500],
  ])("waits as long as Retry-After says in %s", async (_, header, waitMs) => {
    const busy = json(503, {}, { "retry-after": header });
    const { open, clock } = harness({ "POST /create": [busy, json(200, { sid })] });
    await open();
    expect(clock.monotonic()).toBe(waitMs);
  });

  describe("with its own settings", () => {
    const toolset = { toolsetName: "codex" };
    const forbidden = { detail: [{ type: "extra_forbidden", loc: ["body", "toolset_name"] }] };

    it("sends them where the protocol defines them", async () => {
      const sessionEnv = {
        OPENAI_BASE_URL: "http://models.test",
        OPENAI_API_KEY: null,
        NONE: null,
      };
      const settings = { ...toolset, sessionEnv };
      const script = { "GET /maze/splits": [json(200, [])] };
      const { environment, server, clock } = harness(script, { settings });
      await environment.splits();
      const secrets = { OPENAI_API_KEY: "sk-1" };
      await clock.run(environment.openSession({ ...TASK, secrets }));
      expect(server.requests("POST /create_session").map(({ body }) => body)).toEqual([
        { env: { OPENAI_BASE_URL: "http://models.test" } },
        { env: { OPENAI_BASE_URL: "http://models.test", OPENAI_API_KEY: "sk-1" } },
      ]);
      expect(server.requests("POST /create")[0]?.body).toMatchObject({ toolset_name: "codex" });
    });

    it.each([
      [400, { detail: "unknown toolset 'codex'" }],
      [422, forbidden],
    ])("names the toolset that a server refuses with %i", async (status, body) => {
      const { open } = harness({ "POST /create": [json(status, body)] }, { settings: toolset });
      await expect(open()).rejects.toMatchObject({
        code: "environment-setting",
        configPath: "environments.local/maze.toolset_name",
        message: expect.stringMatching(/refuses toolset_name codex: .*toolset/),
      });
    });

    it("does not blame the toolset for another refusal", async () => {
      const split = json(400, { detail: "Invalid split" });
      const { open } = harness({ "POST /create": [split] }, { settings: toolset });
      await expect(open()).rejects.toMatchObject({ code: "environment-protocol" });
    });

    it("names the variables that a server refuses, before any session", async () => {
      const refusal = json(400, { detail: "not the owner" });
      const settings = { sessionEnv: { DEBUG: "1" } };
      const { environment } = harness({ "POST /create_session": [refusal] }, { settings });
      await expect(environment.splits()).rejects.toMatchObject({
        code: "environment-setting",
        message:
          "The server of local/maze refuses session_env DEBUG: not the owner. Change or remove environments.local/maze.session_env.",
      });
    });
  });

  it("omits the secrets from the body when a server with another dialect refuses them", async () => {
    const refusal = json(422, { detail: [{ type: "extra_forbidden", loc: ["body", "secrets"] }] });
    const { environment, server, clock } = harness({
      "POST /create": [refusal, json(200, { sid })],
    });
    const secrets = { token: "x" };
    await clock.run(environment.openSession({ split: "train", index: 0, secrets }));
    expect(server.requests("POST /create").map(({ body }) => body?.["secrets"])).toEqual([
      secrets,
      undefined,
    ]);
  });

  it("retries a broken /create_session by its id, and frees the abandoned id", async () => {
    const again = stream("event: task_id\ndata: second\n\nevent: end\ndata: \n\n");
    const { open, server } = harness({
      "POST /create_session": [stream("event: task_id\ndata: first\n\n", "break"), again],
    });
    expect((await open()).id).toBe("second");
    expect(server.requests("POST /create_session")[1]?.body).toEqual({ task_id: "first" });
    expect(server.requests("POST /delete_session")[0]?.headers["x-session-id"]).toBe("first");
  });

  it.each([
    [401, "environment-auth"],
    [402, "environment-billing"],
    [403, "environment-auth"],
    [404, "environment-not-found"],
    [422, "environment-protocol"],
    [500, "environment-unavailable"],
  ])("reports a %i immediately as %s", async (status, code) => {
    const { open, server } = harness({ "POST /create_session": [json(status, { detail: "no" })] });
    await expect(open()).rejects.toMatchObject({ code, data: { status } });
    expect(server.requests("POST /create_session")).toHaveLength(1);
  });
});

describe("the tools", () => {
  it("are read again when the reply is cut off", async () => {
    const { open, clock } = harness({
      "GET /maze/task_tools": [cut(200), json(200, { tools: [] })],
    });
    const session = await open();
    expect(await clock.run(session.tools())).toMatchObject({ tools: [] });
  });
});

describe("the prompt", () => {
  it.each([
    ["a gateway's 502", "/messages", json(502, {})],
    ["a gateway's 502", "/prompt", json(502, {})],
    ["a reply that breaks off", "/messages", cut(200)],
    ["a reply that breaks off", "/prompt", cut(200)],
  ])(
    "is not read twice after %s to %s, because reading may reset the episode",
    async (_, path, answer) => {
      const line = `GET /maze${path}`;
      const { open, server, clock } = harness({ [line]: [answer] });
      const session = await open();
      await expect(clock.run(session.prompt())).rejects.toMatchObject({
        code: "environment-unavailable",
      });
      expect(server.requests(line)).toHaveLength(1);
    },
  );
});

describe("a server without /messages", () => {
  const script = { "GET /maze/prompt": [json(200, [BLOCK])] };
  const asMessage = [{ role: "user", blocks: [{ type: "text", text: "A wall." }] }];

  it("returns its prompt as a user message", async () => {
    const { open, server } = harness(script);
    expect(await (await open()).prompt()).toEqual(asMessage);
    expect(server.requests("GET /maze/prompt")).toHaveLength(1);
  });

  it("is not inferred from another session's answer", async () => {
    const conversation = json(200, [{ role: "system", blocks: [BLOCK] }]);
    const missing = json(404, { detail: "Not Found" });
    const { open } = harness({ ...script, "GET /maze/messages": [missing, conversation] });
    expect(await (await open()).prompt()).toEqual(asMessage);
    expect(await (await open()).prompt()).toMatchObject([{ role: "system" }]);
  });

  it("is not inferred from a dead session", async () => {
    const { open } = harness();
    await expect((await open()).prompt()).rejects.toMatchObject({
      code: "environment-session-lost",
    });
  });
});

describe("the start-up time", () => {
  it("pauses the clock of a tool's caller", async () => {
    const { open, clock } = harness({
      [CALL]: [result(output({})), starting(), starting(), result(output({}))],
    });
    const session = await open();
    let stoodStillMs = 0;
    const withTimerPaused = async <T>(wait: () => Promise<T>): Promise<T> => {
      const fromMs = clock.monotonic();
      const value = await wait();
      stoodStillMs += clock.monotonic() - fromMs;
      return value;
    };
    await session.callTool("look", {}, { withTimerPaused });
    expect(stoodStillMs).toBe(0);
    await clock.run(session.callTool("look", {}, { withTimerPaused }));
    expect(stoodStillMs).toBe(4_000);
  });

  it("ends after 30 minutes", async () => {
    const { open, clock } = harness({ "GET /maze/prompt": [hanging()] });
    const session = await open();
    await expect(clock.run(session.prompt())).rejects.toMatchObject({
      code: "environment-unavailable",
      message: expect.stringContaining("30 minutes"),
    });
  });
});

describe("the keep-alive", () => {
  it("pings every 10 s until closed, so never in a short session", async () => {
    const { open, server, clock } = harness();
    const session = await open();
    await clock.advance(30_000);
    expect(server.requests("POST /ping")).toHaveLength(3);
    await session.close();
    await clock.advance(60_000);
    expect(server.requests("POST /ping")).toHaveLength(3);
  });

  it("tolerates four failures; a fifth in a row ends running calls with `environment-session-lost`", async () => {
    const fails = Array.from({ length: 4 }, () => broken(true));
    const alive = json(200, { status: "ok" });
    const { open, clock } = harness({
      "POST /ping": [...fails, alive, broken(true)],
      [CALL]: [stream(TASK_ID, "hang")],
    });
    const session = await open();
    await clock.advance(55_000);
    expect(session.ended.aborted).toBe(false);
    const call = session.callTool("look", {});
    await expect(clock.run(call)).rejects.toMatchObject({ code: "environment-session-lost" });
    expect(session.ended.reason).toMatchObject({ code: "environment-session-lost", data: { sid } });
    expect(clock.monotonic()).toBe(100_000);
  });

  it("counts a 503 as alive only from a starting environment", async () => {
    const waking = harness({ "POST /ping": [starting()] });
    const dead = harness({ "POST /ping": [json(503, {})] });
    const sessions = await Promise.all([waking.open(), dead.open()]);
    await Promise.all([waking.clock.advance(60_000), dead.clock.advance(60_000)]);
    expect(sessions.map(({ ended }) => ended.aborted)).toEqual([false, true]);
  });

  it("counts a session as lost after two answers that it no longer exists", async () => {
    const { open, clock } = harness({ "POST /ping": [json(404, {})] });
    const session = await open();
    await clock.advance(10_000);
    expect(session.ended.aborted).toBe(false);
    await clock.advance(10_000);
    expect(session.ended.aborted).toBe(true);
  });
});

describe("close", () => {
  it("ends calls in progress, and sends no later one", async () => {
    const { open, server, clock } = harness({ [CALL]: [stream(TASK_ID, "hang")] });
    const session = await open();
    const call = session.callTool("look", {});
    await clock.advance(1_000);
    const closing = session.close();
    await expect(call).rejects.toMatchObject({ code: "environment-session-lost" });
    await clock.run(closing);
    const { signal } = new AbortController();
    for (const late of [session.callTool("look", {}), session.tools({ signal })]) {
      await expect(late).rejects.toMatchObject({ code: "environment-session-lost", data: { sid } });
    }
    expect(server.requests(CALL)).toHaveLength(1);
  });

  it("ends after 15 s when the server does not answer", async () => {
    const { open, clock } = harness({ "POST /delete": [hanging()] });
    const session = await open();
    const startMs = clock.monotonic();
    await clock.run(session.close());
    expect(clock.monotonic() - startMs).toBe(15_000);
  });
});

describe("a scoring request", () => {
  const LINE = "POST /maze/score_group";
  const candidates: readonly (readonly Message[])[] = [
    [
      {
        role: "assistant",
        blocks: [
          { type: "reasoning", text: "Hm." },
          { type: "text", text: "5" },
        ],
      },
    ],
    [{ role: "assistant", blocks: [{ type: "text", text: "6" }] }],
  ];

  it("is the same as the official client's, and its scores are in the same order", async () => {
    const scores = [
      { reward: 0.25, metadata: { wins: 1 } },
      { reward: 1, metadata: null },
    ];
    const { open, server } = harness({ [LINE]: [result({ scores })] });
    const session = await open();
    expect(await session.scoreGroup(candidates)).toEqual([0.25, 1]);
    const text = (said: string) => ({ type: "text", text: said, detail: null });
    const message = (...blocks: readonly object[]) => ({ role: "assistant", blocks, detail: null });
    const thought = { type: "reasoning", text: "Hm.", signature: null, detail: null };
    expect(server.requests(LINE)[0]?.body).toEqual({
      candidates: [
        { messages: [message(thought, text("5"))], metadata: null },
        { messages: [message(text("6"))], metadata: null },
      ],
    });
  });

  it.each([
    [
      "too few scores",
      result({ scores: [{ reward: 1 }] }),
      "environment-protocol",
      "1 scores for 2",
    ],
    [
      "a judge that failed",
      stream("event: error\ndata: no verdict\n\n"),
      "environment-tool-crashed",
      "no verdict",
    ],
  ])("that gets %s fails, and the session remains usable", async (_, answer, code, words) => {
    const { open } = harness({
      [LINE]: [answer, result({ scores: [{ reward: 1 }, { reward: 2 }] })],
    });
    const session = await open();
    await expect(session.scoreGroup(candidates)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
    expect(await session.scoreGroup(candidates)).toEqual([1, 2]);
  });
});
