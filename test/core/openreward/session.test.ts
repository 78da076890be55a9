import { describe, expect, it } from "vitest";
import { harness } from "./harness.ts";
import { settle } from "./manualClock.ts";
import { broken, json, output, result, sid, starting, stream } from "./scriptedServer.ts";

const CALL = "POST /maze/call";
const TASK_ID = "event: task_id\ndata: job1\n\n";
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
    expect(await session.prompt()).toEqual([{ type: "text", text: "A wall." }]);
    expect(await session.prompt()).toEqual([{ type: "text", text: "A wall." }]);
    expect(await session.tools()).toEqual({
      tools: [{ name: "look", description: "Look.", inputSchema: null }],
      terminalTool: { name: "submit", arg: "answer", description: "Grade." },
      supportsGroupScoring: false,
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
      "POST /ping",
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

  it("takes the id from the end event when there is one", async () => {
    const { open } = harness({
      "POST /create_session": [
        stream('event: task_id\ndata: job\n\nevent: end\ndata: {"sid":"own"}\n\n'),
      ],
    });
    expect((await open()).id).toBe("own");
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
    expect(await session.prompt()).toHaveLength(1);
    expect(await session.callTool("look", {})).toMatchObject({ blocks: [] });
    expect(warnings).toHaveLength(1);
  });

  it("keeps image blocks", async () => {
    const image = { type: "image", data: "aGk=", mimeType: "image/png" };
    const { open } = harness({ "GET /maze/prompt": [json(200, [{ ...image, detail: null }])] });
    expect(await (await open()).prompt()).toEqual([image]);
  });
});

describe("opening", () => {
  it("reports a full environment at once, with the wait that the server asks for", async () => {
    const full = json(429, { detail: "maximum capacity" }, { "retry-after": "7" });
    const { open, server } = harness({ "POST /create_session": [full] });
    await expect(open()).rejects.toMatchObject({
      code: "environment-capacity",
      data: { environment: "local/maze", sid: null, retryAfterMs: 7000 },
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

  it("takes `Session already exists` after a lost answer as success", async () => {
    const exists = json(400, { detail: "Session already exists" });
    const lost = harness({ "POST /create": [broken(true), exists] });
    expect((await lost.open()).id).toBe(sid);
    const first = harness({ "POST /create": [exists] });
    await expect(first.open()).rejects.toMatchObject({ code: "environment-protocol" });
  });

  it("rides out an environment that is starting, without using up attempts", async () => {
    const waits = Array.from({ length: 60 }, () => starting());
    const created = json(200, { sid });
    const { open, server, clock } = harness({ "POST /create": [...waits, created] });
    await open();
    expect(server.requests("POST /create")).toHaveLength(61);
    expect(clock.now()).toBe(120_000);
  });

  it("gives up after 30 minutes", async () => {
    const { open, clock } = harness({ "POST /create": [starting()] });
    await expect(open()).rejects.toMatchObject({ code: "environment-unavailable" });
    expect(clock.now()).toBe(30 * 60_000);
  });

  it.each([
    [401, "environment-auth"],
    [403, "environment-auth"],
    [404, "environment-not-found"],
    [422, "environment-protocol"],
    [500, "environment-tool-crashed"],
  ])("reports a %i at once as %s", async (status, code) => {
    const { open, server } = harness({ "POST /create_session": [json(status, { detail: "no" })] });
    await expect(open()).rejects.toMatchObject({ code, data: { status } });
    expect(server.seen).toHaveLength(1);
  });
});

describe("a call", () => {
  it.each([
    ["'lok' is not a valid tool", null, "not_found"],
    ["Tool input validation error: dir", null, "input_validation"],
    ["Tool name collision: look", "unheard_of", "name_collision"],
    ["whatever", "episode_finished", "episode_finished"],
  ])("that is refused with %j and reason %j is %s", async (error, reason, expected) => {
    const { open } = harness({ [CALL]: [result({ ok: false, error, reason })] });
    const session = await open();
    const outcome = await session.callTool("lok", {});
    expect(outcome).toEqual({ kind: "rejected", reason: expected, error });
  });

  it("reports a crash of the tool with the tool's own words", async () => {
    const crash = stream(`${TASK_ID}event: error\ndata: division\ndata: by zero\n\n`);
    const { open } = harness({ [CALL]: [crash] });
    const session = await open();
    await expect(session.callTool("look", {})).rejects.toMatchObject({
      code: "environment-tool-crashed",
      message: expect.stringContaining("division\nby zero"),
      data: { environment: "local/maze", sid },
    });
  });

  it.each(["break", "end"] as const)(
    "whose stream stops (%s) after its task id is asked for again by that id",
    async (end) => {
      const { open, server, clock } = harness({
        [CALL]: [stream(`${TASK_ID}event: chunk\ndata: {"ok`, end), result(output({ reward: 1 }))],
      });
      const session = await open();
      expect(await clock.runUntil(session.callTool("look", {}))).toMatchObject({ reward: 1 });
      expect(server.requests(CALL).map(({ body }) => body?.["task_id"])).toEqual([
        undefined,
        "job1",
      ]);
    },
  );

  it("whose stream is silent for 30 s is asked for again by its id", async () => {
    const { open, server, clock } = harness({
      [CALL]: [stream(TASK_ID, "hang"), result(output({ reward: 1 }))],
    });
    const session = await open();
    const startMs = clock.now();
    expect(await clock.runUntil(session.callTool("look", {}))).toMatchObject({ reward: 1 });
    expect(clock.now() - startMs).toBeGreaterThanOrEqual(30_000);
    expect(server.requests(CALL)).toHaveLength(2);
  });

  it.each([
    ["a broken connection", broken(true)],
    ["a gateway's 502", json(502, {})],
    ["a plain 503", json(503, {})],
    ["a stream without task id", stream(": ping\n\n", "break")],
  ])("that met %s before its task id is not posted again", async (_, answer) => {
    const { open, server, clock } = harness({ [CALL]: [answer] });
    const session = await open();
    await expect(clock.runUntil(session.callTool("look", {}))).rejects.toMatchObject({
      code: "environment-unavailable",
    });
    expect(server.requests(CALL)).toHaveLength(1);
  });

  it.each([
    ["was never sent", broken(false)],
    ["met 429", json(429, {})],
    ["met a starting environment", starting()],
  ])("that %s is posted again", async (_, answer) => {
    const { open, server, clock } = harness({ [CALL]: [answer, result(output({}))] });
    const session = await open();
    expect(await clock.runUntil(session.callTool("look", {}))).toMatchObject({ kind: "result" });
    expect(server.requests(CALL)).toHaveLength(2);
  });

  it("gives up on a stream that keeps breaking", async () => {
    const { open, server, clock } = harness({ [CALL]: [stream(TASK_ID, "break")] });
    const session = await open();
    await expect(clock.runUntil(session.callTool("look", {}))).rejects.toMatchObject({
      code: "environment-unavailable",
    });
    expect(server.requests(CALL)).toHaveLength(7);
  });

  it.each([
    ["404", json(404, { detail: "Active environment not found" })],
    ["410", json(410, { detail: "Session deleted" })],
    ["a lost job", stream("event: error\ndata: unknown task_id\n\n")],
  ])("that meets %s means a lost session", async (_, answer) => {
    const { open } = harness({ [CALL]: [answer] });
    const session = await open();
    await expect(session.callTool("look", {})).rejects.toMatchObject({
      code: "environment-session-lost",
    });
  });

  it("rejects a result that is not ORS", async () => {
    const { open } = harness({ [CALL]: [result({ ok: true, output: { blocks: [] } })] });
    const session = await open();
    await expect(session.callTool("look", {})).rejects.toMatchObject({
      code: "environment-protocol",
    });
  });

  it("ends with the caller's reason when it is aborted", async () => {
    const { open } = harness({ [CALL]: [stream(TASK_ID, "hang")] });
    const session = await open();
    const abort = new AbortController();
    const call = session.callTool("look", {}, { signal: abort.signal });
    await settle();
    abort.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
  });
});

describe("the prompt", () => {
  it("is not read twice when the first answer may be lost", async () => {
    const { open, server, clock } = harness({ "GET /maze/prompt": [json(502, {})] });
    const session = await open();
    await expect(clock.runUntil(session.prompt())).rejects.toMatchObject({
      code: "environment-unavailable",
    });
    expect(server.requests("GET /maze/prompt")).toHaveLength(1);
  });
});

describe("the keep-alive", () => {
  it("pings at once, every 10 s, and not after close", async () => {
    const { open, server, clock } = harness();
    const session = await open();
    await clock.advance(30_000);
    expect(server.requests("POST /ping")).toHaveLength(4);
    await session.close();
    await clock.advance(60_000);
    expect(server.requests("POST /ping")).toHaveLength(4);
  });

  it("stands four failures, and a fifth in a row ends running calls with `environment-session-lost`", async () => {
    const fails = Array.from({ length: 4 }, () => broken(true));
    const alive = json(200, { status: "ok" });
    const { open, clock } = harness({
      "POST /ping": [...fails, alive, broken(true)],
      [CALL]: [stream(TASK_ID, "hang")],
    });
    const session = await open();
    await clock.advance(45_000);
    expect(session.lost.aborted).toBe(false);
    const call = session.callTool("look", {});
    await expect(clock.runUntil(call)).rejects.toMatchObject({ code: "environment-session-lost" });
    expect(session.lost.reason).toMatchObject({ code: "environment-session-lost", data: { sid } });
    expect(clock.now()).toBe(90_000);
  });

  it("counts a session as lost after two answers that it is gone", async () => {
    const { open, clock } = harness({ "POST /ping": [json(404, {})] });
    const session = await open();
    await clock.advance(10_000);
    expect(session.lost.aborted).toBe(true);
  });
});

describe("close", () => {
  it("ends after 15 s when the server does not answer", async () => {
    const hang = (request: { readonly signal?: AbortSignal }) => ({
      status: 200,
      header: () => null,
      text: async () => "",
      stream: async function* () {},
      bytes: () =>
        new Promise<never>((_, reject) => {
          request.signal?.addEventListener("abort", () => reject(request.signal?.reason));
        }),
    });
    const { open, clock } = harness({ "POST /delete": [hang] });
    const session = await open();
    const startMs = clock.now();
    await clock.runUntil(session.close());
    expect(clock.now() - startMs).toBe(15_000);
  });
});
