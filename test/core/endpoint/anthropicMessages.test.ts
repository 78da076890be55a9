import { describe, expect, it } from "vitest";
import {
  anthropicError,
  messageAnswer,
  messageEvents,
  readMessagesRequest,
} from "../../../src/core/endpoint/anthropicMessages.ts";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { FACTS } from "./aPolicy.ts";
import { aTurn, CALL, refusalIn } from "./policyTurns.ts";

const hi = { role: "user", content: "Hi" };
const read = (body: object) => readMessagesRequest(parseExactJson(JSON.stringify(body)));
const json = (value: Parameters<typeof writeExactJson>[0]) => JSON.parse(writeExactJson(value));
const text = (content: string) => ({ type: "text", text: content });

describe("a request", () => {
  it("has images from the user and in results, in position", () => {
    const image = (data: string) => {
      return { type: "image", source: { type: "base64", media_type: "image/png", data } };
    };
    const result = { type: "tool_result", tool_use_id: "a", is_error: true };
    const call = { type: "tool_use", id: "a", name: "look", input: {} };
    const request = read({
      max_tokens: 20,
      messages: [
        { role: "user", content: [image("AA"), text(" and "), image("BB")] },
        { role: "assistant", content: [call] },
        { role: "user", content: [{ ...result, content: [image("CC")] }] },
      ],
    });
    expect(request.images.map(({ base64 }) => base64)).toEqual(["AA", "BB", "CC"]);
    expect(request.messages).toMatchObject([
      {
        content: " and ",
        images: [
          { at: 0, id: -1 },
          { at: 5, id: -2 },
        ],
      },
      {},
      { content: "Error: ", images: [{ at: 7, id: -3 }] },
    ]);
  });

  it("is read with its settings, with results before the user text next to them", () => {
    const request = read({
      model: "any",
      max_tokens: 20,
      temperature: 0.5,
      stop_sequences: ["END"],
      thinking: { type: "enabled", budget_tokens: 1024 },
      output_config: { effort: "high" },
      context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
      cache_control: { type: "ephemeral" },
      system: [{ ...text("Be short."), cache_control: { type: "ephemeral" } }],
      tools: [{ name: "add", description: "Adds.", input_schema: { type: "object" } }],
      tool_choice: { type: "auto", disable_parallel_tool_use: true },
      messages: [
        hi,
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "" },
            text("Let me see."),
            { type: "tool_use", id: "a", name: "add", input: { x: 1 } },
            { type: "tool_use", id: "b", name: "add", input: {} },
          ],
        },
        {
          role: "user",
          content: [
            text("Well?"),
            { type: "tool_result", tool_use_id: "b", content: "gone", is_error: true },
            { type: "tool_result", tool_use_id: "a", content: [text("2")] },
          ],
        },
      ],
    });
    expect(request).toEqual({
      messages: [
        { role: "system", content: "Be short." },
        hi,
        {
          role: "assistant",
          content: "Let me see.",
          reasoning: "Hm.",
          calls: [
            { id: "a", name: "add", args: { x: 1 } },
            { id: "b", name: "add", args: {} },
          ],
        },
        { role: "tool", name: "add", callId: "a", content: "2" },
        { role: "tool", name: "add", callId: "b", content: "Error: gone" },
        { role: "user", content: "Well?" },
      ],
      images: [],
      tools: [
        {
          type: "function",
          function: { name: "add", description: "Adds.", parameters: { type: "object" } },
        },
      ],
      oneCall: true,
      wantsCall: false,
      sampling: { temperature: 0.5, topP: null, topK: null, maxTokens: 20, seed: null },
      stopTexts: ["END"],
      isStreamed: false,
    });
  });

  it("may have null as the content of a result", () => {
    const call = { type: "tool_use", id: "a", name: "add", input: {} };
    const result = { type: "tool_result", tool_use_id: "a", content: null };
    const said = [
      { role: "assistant", content: [call] },
      { role: "user", content: [result] },
    ];
    expect(read({ messages: [hi, ...said] }).messages.at(-1)).toMatchObject({ content: "" });
  });

  it("records that a call is required", () => {
    const tool_choice = { type: "any", disable_parallel_tool_use: true };
    expect(read({ messages: [hi], tool_choice })).toMatchObject({ wantsCall: true, oneCall: true });
  });

  const use = { role: "assistant", content: [{ type: "tool_use", id: "a", name: "b", input: {} }] };
  it.each([
    [{ tool_choice: { type: "tool", name: "x" } }, "tool_choice: the model decides by itself"],
    [
      { tools: [{ type: "bash_20250124", name: "bash" }] },
      "a tool that runs on Anthropic's servers",
    ],
    [{ tools: [{ name: "x", input_schema: 1 }] }, "tools[0].input_schema: expected a JSON Schema"],
    [{ temperature: 1.5 }, "temperature: expected a number from 0 to 1, got 1.5"],
    [
      { output_config: { format: { type: "json_schema" } } },
      "output_config.format: output formats are not enforced",
    ],
    [{ container: "x" }, "container: this endpoint does not know this parameter"],
    [{ system: 3 }, "system: expected text or a list of blocks, got 3"],
    [{ messages: [{ role: "system", content: "x" }] }, "messages[0].role: expected user"],
    [{ system: "x", messages: [hi, use] }, "messages[1].role: the last message must be"],
    [{ system: "x", messages: [hi, use, hi] }, "messages[1]: the result of the call a must follow"],
    [
      { messages: [{ role: "user", content: [{ type: "image", source: {} }] }] },
      "messages[0].content[0].source: expected the image itself as base64, got {}",
    ],
  ])("is refused with an explanation: %j", (change, message) => {
    const refusal = refusalIn(() => read({ messages: [hi], max_tokens: 5, ...change }));
    const { type, error } = json(anthropicError(refusal));
    expect([refusal.status, type, error.type]).toEqual([400, "error", "invalid_request_error"]);
    expect(error.message).toContain(message);
  });
});

describe("an answer", () => {
  const turn = aTurn({ reasoning: "Hm.", calls: [CALL], end: "calls" });

  it("has reasoning, text, and calls as blocks", () => {
    const written = writeExactJson(messageAnswer(turn, FACTS));
    expect(written).toContain('"input":{"a":12345678901234567890}');
    expect(JSON.parse(written)).toMatchObject({
      id: "msg_1",
      type: "message",
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Hm.", signature: "" },
        text("Hello"),
        { type: "tool_use", id: "call_1", name: "add" },
      ],
      stop_reason: "tool_use",
      stop_sequence: null,
      usage: { input_tokens: 1, cache_read_input_tokens: 2, output_tokens: 2 },
    });
  });

  it("streams as events for the same blocks", () => {
    const events = messageEvents(turn, FACTS).map(json);
    expect(events.map(({ type, index = null }) => [type, index])).toEqual([
      ["message_start", null],
      ...[0, 1, 2].flatMap((index) =>
        ["content_block_start", "content_block_delta", "content_block_stop"].map((type) => [
          type,
          index,
        ]),
      ),
      ["message_delta", null],
      ["message_stop", null],
    ]);
    const deltas = events.flatMap(({ type, delta }) =>
      type === "content_block_delta" ? [delta] : [],
    );
    expect(deltas).toEqual([
      { type: "thinking_delta", thinking: "Hm." },
      { type: "text_delta", text: "Hello" },
      { type: "input_json_delta", partial_json: '{"a":12345678901234567890}' },
    ]);
  });

  it.each([
    [{ end: "turn" }, "end_turn"],
    [{ end: "length" }, "max_tokens"],
    [{ end: "stop_text", stopText: "END" }, "stop_sequence"],
  ] as const)("with end reason %j has stop reason %s", (change, reason) => {
    const { stop_reason, stop_sequence } = json(messageAnswer(aTurn(change), FACTS));
    expect([stop_reason, stop_sequence]).toEqual([
      reason,
      "stopText" in change ? change.stopText : null,
    ]);
  });
});
