import { describe, expect, it } from "vitest";
import { settle } from "../../fakes/fakeClock.ts";
import { harness } from "./harness.ts";
import {
  type Answer,
  broken,
  hanging,
  json,
  output,
  result,
  sid,
  starting,
  stream,
} from "./scriptedServer.ts";

const CALL = "POST /maze/call";
const TASK_ID = "event: task_id\ndata: job1\n\n";

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
      expect(await clock.run(session.callTool("look", {}))).toMatchObject({ reward: 1 });
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
    const startMs = clock.monotonic();
    expect(await clock.run(session.callTool("look", {}))).toMatchObject({ reward: 1 });
    expect(clock.monotonic() - startMs).toBeGreaterThanOrEqual(30_000);
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
    await expect(clock.run(session.callTool("look", {}))).rejects.toMatchObject({
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
    expect(await clock.run(session.callTool("look", {}))).toMatchObject({ kind: "result" });
    expect(server.requests(CALL)).toHaveLength(2);
  });

  it("may be cut off for ever by a proxy as long as it makes progress, but a hundred times at most", async () => {
    const cutLater = aliveFor(11_000);
    const { open, server, clock } = harness({ [CALL]: [stream(TASK_ID, "break"), cutLater] });
    const session = await open();
    const call = session.callTool("look", {});
    await expect(clock.run(call)).rejects.toMatchObject({ code: "environment-unavailable" });
    expect(server.requests(CALL)).toHaveLength(100);
    function aliveFor(ms: number): Answer {
      return (request) => ({
        ...stream("")(request),
        stream: async function* () {
          await clock.sleep(ms);
          yield new TextEncoder().encode(": ping\n\n");
        },
      });
    }
  });

  it("whose repeat is not answered for 30 s is asked for again", async () => {
    const { open, server, clock } = harness({
      [CALL]: [stream(TASK_ID, "break"), hanging(), result(output({ reward: 1 }))],
    });
    const session = await open();
    expect(await clock.run(session.callTool("look", {}))).toMatchObject({ reward: 1 });
    expect(server.requests(CALL)).toHaveLength(3);
  });

  it("that meets 429 again and again says that the room went away within a session", async () => {
    const full = json(429, { detail: "maximum capacity" }, { "retry-after": "3" });
    const { open, clock } = harness({ [CALL]: [full] });
    const session = await open();
    await expect(clock.run(session.callTool("look", {}))).rejects.toMatchObject({
      code: "environment-capacity",
      data: { isOpening: false, retryAfterMs: 3000, sid },
    });
  });

  it("gives up on a stream that keeps breaking", async () => {
    const { open, server, clock } = harness({ [CALL]: [stream(TASK_ID, "break")] });
    const session = await open();
    await expect(clock.run(session.callTool("look", {}))).rejects.toMatchObject({
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
