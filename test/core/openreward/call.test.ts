import { describe, expect, it } from "vitest";
import { replayLines } from "../../../src/cli/show/showRollout.ts";
import type { Chat } from "../../../src/core/chat/chat.ts";
import { qwen35 } from "../../../src/core/chat/families/qwen35.ts";
import { buildFirstPrompt } from "../../../src/core/chat/firstPrompt.ts";
import { createNativeRenderer } from "../../../src/core/chat/nativeRenderer.ts";
import { chatml } from "../../../src/core/chat/template/templateFamily.ts";
import { createTemplateRenderer } from "../../../src/core/chat/template/templateRenderer.ts";
import { rolloutRecordSchema } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { describeRollout } from "../../../src/core/tracking/openreward/describeRollout.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { rolloutBody } from "../../../src/server/dashboard/rolloutViews.ts";
import { settle } from "../../fakes/fakeClock.ts";
import { sampled, tinyModel } from "../chat/tinyModel.ts";
import { playEpisode } from "../rollout/builders.ts";
import { ended, scriptedSampler } from "../rollout/scriptedModel.ts";
import { aRecord } from "../runFolder/builders.ts";
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
import { uploadSettings } from "./uploadBuilders.ts";

const CALL = "POST /maze/call";
const TASK_ID = "event: task_id\ndata: job1\n\n";

/** A session on a server with these answers to its calls. */
async function onServer(...answers: readonly Answer[]) {
  const { open, server, clock } = harness({ [CALL]: answers });
  const session = await open();
  return { session, server, clock, look: () => clock.run(session.callTool("look", {})) };
}

describe("a call", () => {
  it.each([
    ["'lok' is not a valid tool", null, "not_found"],
    ["Tool input validation error: dir", null, "input_validation"],
    ["Tool name collision: look", "unheard_of", "name_collision"],
    ["whatever", "episode_finished", "episode_finished"],
  ])("that is refused with %j and reason %j is %s", async (error, reason, expected) => {
    const { session } = await onServer(result({ ok: false, error, reason }));
    const outcome = await session.callTool("lok", {});
    expect(outcome).toEqual({ kind: "rejected", reason: expected, error });
  });

  it("reports a tool crash with the tool's own message", async () => {
    const crash = stream(`${TASK_ID}event: error\ndata: division\ndata: by zero\n\n`);
    const { look } = await onServer(crash);
    await expect(look()).rejects.toMatchObject({
      code: "environment-tool-crashed",
      message: expect.stringContaining("division\nby zero"),
      data: { environment: "local/maze", sid },
    });
  });

  it.each(["break", "end"] as const)(
    "whose stream stops (%s) after its task id is requested again by that id",
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

  it("whose stream is silent for 30 s is requested again by its id", async () => {
    const { look, server, clock } = await onServer(
      stream(TASK_ID, "hang"),
      result(output({ reward: 1 })),
    );
    const startMs = clock.monotonic();
    expect(await look()).toMatchObject({ reward: 1 });
    expect(clock.monotonic() - startMs).toBeGreaterThanOrEqual(30_000);
    expect(server.requests(CALL)).toHaveLength(2);
  });

  it.each([
    ["a broken connection", broken(true)],
    ["a gateway's 502", json(502, {})],
    ["a plain 503", json(503, {})],
    ["a stream without task id", stream(": ping\n\n", "break")],
  ])("that failed with %s before its task id is not posted again", async (_, answer) => {
    const { look, server } = await onServer(answer);
    await expect(look()).rejects.toMatchObject({
      code: "environment-unavailable",
    });
    expect(server.requests(CALL)).toHaveLength(1);
  });

  it.each([
    ["was never sent", broken(false)],
    ["met 429", json(429, {})],
    ["met a starting environment", starting()],
  ])("that %s is posted again", async (_, answer) => {
    const { look, server } = await onServer(answer, result(output({})));
    expect(await look()).toMatchObject({ kind: "result" });
    expect(server.requests(CALL)).toHaveLength(2);
  });

  it("may be cut off repeatedly by a proxy while it makes progress, but at most a hundred times", async () => {
    const cutLater = aliveFor(11_000);
    const { look, server, clock } = await onServer(stream(TASK_ID, "break"), cutLater);
    const call = look();
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

  it("whose repeat is not answered for 30 s is requested again", async () => {
    const { look, server } = await onServer(
      stream(TASK_ID, "break"),
      hanging(),
      result(output({ reward: 1 })),
    );
    expect(await look()).toMatchObject({ reward: 1 });
    expect(server.requests(CALL)).toHaveLength(3);
  });

  it("that keeps getting 429 fails as one that the service does not answer, so that its attempt counts", async () => {
    const full = json(429, { detail: "maximum capacity" }, { "retry-after": "3" });
    const { session, server, clock } = await onServer(full);
    await expect(clock.run(session.callTool("look", {}))).rejects.toMatchObject({
      code: "environment-unavailable",
      data: { status: 429, sid },
    });
    expect(server.requests(CALL)).toHaveLength(7);
  });

  it("gives up on a stream that keeps breaking", async () => {
    const { look, server } = await onServer(stream(TASK_ID, "break"));
    await expect(look()).rejects.toMatchObject({
      code: "environment-unavailable",
    });
    expect(server.requests(CALL)).toHaveLength(7);
  });

  it.each([
    ["404", json(404, { detail: "Active environment not found" })],
    ["410", json(410, { detail: "Session deleted" })],
    ["a lost job", stream("event: error\ndata: unknown task_id\n\n")],
  ])("that gets %s means a lost session", async (_, answer) => {
    const { session } = await onServer(answer);
    await expect(session.callTool("look", {})).rejects.toMatchObject({
      code: "environment-session-lost",
    });
  });

  it("rejects a result that does not follow ORS", async () => {
    const { look } = await onServer(result({ ok: true, output: { blocks: [] } }));
    await expect(look()).rejects.toMatchObject({
      code: "environment-protocol",
    });
  });

  it("ends with the caller's reason when aborted", async () => {
    const { session } = await onServer(stream(TASK_ID, "hang"));
    const abort = new AbortController();
    const call = session.callTool("look", {}, { signal: abort.signal });
    await settle();
    abort.abort(new Error("stop"));
    await expect(call).rejects.toThrow("stop");
  });
});

/** Each changes or overflows when converted to a double. */
const NUMBERS = [
  ...["12345678901234567890", "1.10000000000000000001", "1e400", "-0", "1.0", "-1E-400"],
  ...["9007199254740993", "0.1000000000000000055511151231257827", "123456789012345678.90"],
];

/** An XML call format, whose values have the types of the tool's schema. */
const { tokenizer } = tinyModel();
const xml: Chat = {
  tokenizer,
  renderer: createNativeRenderer(
    qwen35({ thinking: false, effort: null, retention: "all", date: "2026-01-02" }),
    tokenizer,
  ),
};

interface Format {
  readonly chat?: Chat;
  /** Schema of the tool's arguments. */
  readonly schema?: object;
}

/** Plays one turn in which the model writes `payload` as its call; returns the request body and the rollout's record. */
async function play(payload: string, { chat, schema }: Format = {}) {
  let body = "";
  const answer: Answer = (request) => {
    body = String(request.body);
    return result(output({ finished: true, reward: 1 }))(request);
  };
  const { open, clock } = harness({
    "GET /maze/prompt": [json(200, [{ type: "text", text: "Add.", detail: null }])],
    "GET /maze/task_tools": [
      json(200, { tools: schema ? [{ name: "add", description: "", input_schema: schema }] : [] }),
    ],
    "POST /maze/call": [answer],
  });
  const session = await open();
  const { episode } = await playEpisode({
    session,
    clock,
    ...(chat === undefined ? {} : { chat }),
    sampler: scriptedSampler(
      [ended(`<tool_call>${payload}</tool_call>`)],
      chat === undefined ? {} : { encodeTurn: sampled },
    ),
    settings: { maxResponseTokens: 10_000, maxTotalTokens: 20_000 },
  });
  const line = new TextDecoder().decode(encodeJsonLine(aRecord({ turns: episode.played.turns })));
  return { body, record: rolloutRecordSchema.parse(JSON.parse(line)) };
}

describe("numbers in a call's arguments", () => {
  it.each(NUMBERS)("reach the environment as the model wrote them: %s", async (number) => {
    const args = `{"x":${number},"list":[${number},{"y":${number}}]}`;
    const { body } = await play(`{"name":"add","arguments":${args}}`);
    expect(body).toBe(`{"name":"add","input":${args}}`);
  });

  it.each(NUMBERS)("also reach it as written from XML: %s", async (number) => {
    const payload = `<function=add><parameter=x>\n${number}\n</parameter><parameter=y>[${number}]</parameter><parameter=z>${number}</parameter></function>`;
    const properties = { x: { type: "number" }, z: { type: "string" } };
    const { body } = await play(payload, { chat: xml, schema: { type: "object", properties } });
    expect(body).toBe(`{"name":"add","input":{"x":${number},"y":[${number}],"z":"${number}"}}`);
  });

  it("are the same in the record, the upload, the replay, and the terminal", async () => {
    const args = `{"x":[${NUMBERS.join(",")}]}`;
    const { record } = await play(`{"name":"add","arguments":${args}}`);
    expect(record.turns[0]?.calls[0]?.args).toBe(args);
    const use = { advantage: 1, trainingUse: "trained" };
    const { messages } = describeRollout(record, use, uploadSettings());
    expect(messages.find(({ type }) => type === "tool_call")?.content).toBe(args);
    const shown = rolloutBody(record).turns[0]?.calls[0]?.args.text ?? "";
    expect(shown.replaceAll(/\s/g, "")).toBe(args);
    expect(shown).toContain("\n");
    const lines = replayLines(record, { title: "", score: null, width: 10_000 });
    expect(JSON.stringify(lines).replaceAll("\\", "")).toContain(`add(${args})`);
  });
});

describe("numbers in a tool's schema", () => {
  const schema = `{"type": "object", "properties": {"x": {"maximum": 9223372036854775807, "default": 1.0, "title": "<"}}}`;

  async function toolsOf() {
    const tool = { name: "add", description: "Adds.", input_schema: 0 };
    const reply = JSON.stringify({ tools: [tool] }).replace('schema":0', `schema":${schema}`);
    const { open } = harness({ "GET /maze/task_tools": [stream(reply)] });
    return (await (await open()).tools()).tools;
  }

  it("are in the first prompt as the environment wrote them, in every layout", async () => {
    const tools = await toolsOf();
    const { messages } = buildFirstPrompt({
      systemPromptTemplate: "{tools}",
      task: [{ role: "user", content: "" }],
      tools,
    });
    expect(messages[0]?.content).toContain(schema);
    const native = buildFirstPrompt({
      systemPromptTemplate: null,
      task: [{ role: "user", content: "Hi" }],
      tools,
    });
    const printing = tinyModel(
      "{{ tools | tojson }} {{ tools[0].function.parameters.properties }}",
    );
    const rendered = printing.tokenizer.decode(
      createTemplateRenderer({ model: printing, family: chatml, thinking: false }).renderInitial(
        native.messages,
        native.tools,
      ),
    );
    expect(rendered).toContain(schema);
    expect(rendered).not.toMatch(/[\uE000-\uF8FF]/);
  });
});
