import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import {
  readResponses,
  responseAnswer,
  responseEvents,
} from "../../../src/core/endpoint/openaiResponses.ts";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { FACTS } from "./aPolicy.ts";
import { aTurn, CALL, refusalIn } from "./policyTurns.ts";

const read = (body: object) => readResponses(parseExactJson(JSON.stringify(body)));
const json = (value: Parameters<typeof writeExactJson>[0]) => JSON.parse(writeExactJson(value));

describe("a request", () => {
  it("is read with its items as turns", () => {
    const request = read({
      model: "any",
      instructions: "Be short.",
      max_output_tokens: 20,
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "low" },
      tools: [{ type: "function", name: "add", parameters: { type: "object" }, strict: true }],
      input: [
        { role: "developer", content: "Be kind." },
        { role: "user", content: [{ type: "input_text", text: "Hi" }] },
        { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "So." }] },
        { type: "function_call", call_id: "a", name: "add", arguments: '{"x":1}' },
        { type: "function_call", call_id: "b", name: "add", arguments: "" },
        { type: "function_call_output", call_id: "b", output: "none" },
        { type: "function_call_output", call_id: "a", output: [{ type: "input_text", text: "2" }] },
      ],
    });
    expect(request).toMatchObject({
      messages: [
        { role: "system", content: "Be short.\n\nBe kind." },
        { role: "user", content: "Hi" },
        {
          role: "assistant",
          content: "So.",
          reasoning: "Hm.",
          calls: [
            { id: "a", name: "add", args: { x: 1 } },
            { id: "b", name: "add", args: {} },
          ],
        },
        { role: "tool", name: "add", callId: "a", content: "2" },
        { role: "tool", name: "add", callId: "b", content: "none" },
      ],
      sampling: { maxTokens: 20 },
      isStreamed: false,
    });
    expect(request.tools.map(({ function: { name } }) => name)).toEqual(["add"]);
  });

  it("has images from the user and in results", () => {
    const image = { type: "input_image", image_url: "data:image/png;base64,AA", detail: "low" };
    const made = { type: "function_call", call_id: "a", name: "look", arguments: "{}" };
    const request = read({
      input: [
        { role: "user", content: [{ type: "input_text", text: "What?" }, image] },
        made,
        { type: "function_call_output", call_id: "a", output: [image] },
      ],
    });
    expect(request.images.map(({ base64 }) => base64)).toEqual(["AA", "AA"]);
    expect(request.messages).toMatchObject([
      { content: "What?", images: [{ at: 5, id: -1 }] },
      {},
      { content: "", images: [{ at: 0, id: -2 }] },
    ]);
  });

  it("may have null as the type of a message", () => {
    const { messages } = read({ input: [{ type: null, role: "user", content: "Hi" }] });
    expect(messages).toEqual([{ role: "user", content: "Hi" }]);
  });

  it("may be a single text", () => {
    expect(read({ input: "Hi" }).messages).toEqual([{ role: "user", content: "Hi" }]);
  });

  const call = { type: "function_call", call_id: "a", name: "add", arguments: "{}" };
  const output = { type: "function_call_output", call_id: "b", output: "" };
  it.each([
    [{ previous_response_id: "resp_1" }, "previous_response_id", "Nothing is stored here."],
    [
      { text: { format: { type: "json_schema" } } },
      "text.format",
      "output formats are not enforced",
    ],
    [
      { tools: [{ type: "web_search" }] },
      "tools[0].type",
      '"web_search" is not a supported type of tool',
    ],
    [{ include: ["file_search_call.results"] }, "include", "is not supported"],
    [{ background: true }, "background", "is not supported"],
    [{ input: 3 }, "input", "expected text or a list of items, got 3"],
    [{ input: [call] }, "input[0].role", "the last message must be"],
    [{ input: [call, output] }, "input[1].call_id", "expected the call_id of an earlier"],
    [{ input: [{ ...call, arguments: "[]" }] }, "input[0].arguments", "expected a JSON object"],
    [{ input: [{ type: "item_reference" }] }, "input[0].type", "are not supported"],
    [
      { input: [{ role: "user", content: [{ type: "input_image" }] }] },
      "input[0].content[0].image_url",
      "images are not downloaded",
    ],
  ])("is refused with an explanation: %j", (change, param, message) => {
    const refusal = refusalIn(() => read({ input: "Hi", ...change }));
    expect(refusal).toMatchObject({ status: 400, param });
    expect(refusal.message).toContain(message);
  });
});

describe("an answer", () => {
  const request = read({ input: "Hi" });
  const turn = aTurn({ reasoning: "Hm.", reasoningTokens: 1, calls: [CALL], end: "calls" });

  it("has reasoning, text, and calls as items", () => {
    expect(json(responseAnswer(turn, request, FACTS))).toMatchObject({
      id: "resp_1",
      object: "response",
      created_at: 7,
      model: "demo",
      status: "completed",
      output: [
        { type: "reasoning", content: [{ type: "reasoning_text", text: "Hm." }] },
        { type: "message", role: "assistant", content: [{ type: "output_text", text: "Hello" }] },
        {
          type: "function_call",
          call_id: "call_1",
          name: "add",
          arguments: '{"a":12345678901234567890}',
        },
      ],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 2 },
        output_tokens: 2,
        output_tokens_details: { reasoning_tokens: 1 },
        total_tokens: 5,
      },
    });
  });

  it("streams as events for the same items, and ends with the same answer", () => {
    const events = responseEvents(turn, request, FACTS).map(json);
    const whole = json(responseAnswer(turn, request, FACTS));
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, i) => i));
    expect(events.flatMap(({ type, item }) => (type.endsWith("item.done") ? [item] : []))).toEqual(
      whole.output,
    );
    const deltas = events.flatMap(({ type, delta }) => (type.endsWith(".delta") ? [delta] : []));
    expect(deltas).toEqual(["Hm.", "Hello", '{"a":12345678901234567890}']);
    expect(events.at(-1)).toMatchObject({ type: "response.completed", response: whole });
  });

  it("streams to the official client", async () => {
    const events = responseEvents(turn, request, FACTS);
    const lines = events.map((event) => `event: ${event.type}\ndata: ${writeExactJson(event)}\n\n`);
    const headers = { "content-type": "text/event-stream" };
    const fetch = async () => new Response(lines.join(""), { headers });
    const stream = new OpenAI({ apiKey: "none", fetch }).responses.stream({ model: "demo" });
    const { output } = json(responseAnswer(turn, request, FACTS));
    expect(await stream.finalResponse()).toMatchObject({ output });
  });

  it("that was cut off is marked incomplete", () => {
    const cut = aTurn({ end: "length" });
    expect(json(responseAnswer(cut, request, FACTS))).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
    });
    expect(responseEvents(cut, request, FACTS).at(-1)).toMatchObject({
      type: "response.incomplete",
    });
  });
});
