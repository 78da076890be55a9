import { describe, expect, it } from "vitest";
import { parseChatExample } from "../../../src/core/examples/parseChatExample.ts";
import type { Json } from "../../../src/core/json.ts";

const user = { role: "user", content: "What is 2*3?" };
const answer = { role: "assistant", content: "6" };
const calling = {
  role: "assistant",
  content: null,
  tool_calls: [
    { id: "c1", type: "function", function: { name: "calc", arguments: '{"expr": "2*3"}' } },
  ],
};
const result = { role: "tool", tool_call_id: "c1", content: "6" };
const tool = { type: "function", function: { name: "calc", parameters: { type: "object" } } };

function withCall(call: Json): Json {
  return { messages: [user, { role: "assistant", tool_calls: [call] }] };
}

describe("a conversation in OpenAI's format", () => {
  it("is read with its tools, calls, and results", () => {
    const read = parseChatExample({ messages: [user, calling, result, answer], tools: [tool] });
    expect(read).toEqual({
      split: "train",
      task: null,
      tools: [
        {
          type: "function",
          function: { name: "calc", description: "", parameters: { type: "object" } },
        },
      ],
      messages: [
        user,
        {
          role: "assistant",
          content: "",
          reasoning: null,
          calls: [{ id: "c1", name: "calc", args: { expr: "2*3" } }],
        },
        { role: "tool", name: "calc", callId: "c1", content: "6" },
        { ...answer, reasoning: null, calls: [] },
      ],
    });
  });

  it("may have text parts, reasoning, a developer message, and a split", () => {
    const messages = [
      { role: "developer", content: "Be brief." },
      {
        role: "user",
        content: [
          { type: "text", text: "Hi" },
          { type: "text", text: "!" },
        ],
      },
      { role: "assistant", content: "Hello.", reasoning_content: "A greeting." },
    ];
    expect(parseChatExample({ messages, split: "held_out" })).toMatchObject({
      split: "held_out",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: "Hi!" },
        { role: "assistant", content: "Hello.", reasoning: "A greeting." },
      ],
    });
  });

  it("ends with the assistant's last turn", () => {
    const read = parseChatExample({
      messages: [user, answer, { role: "user", content: "Thanks" }],
    });
    expect(read).toMatchObject({ messages: [user, { content: "6" }] });
  });

  it("has its results in the order of their calls", () => {
    const calls = ["c1", "c2"].map((id) => ({ id, function: { name: id, arguments: "{}" } }));
    const asking = { role: "assistant", tool_calls: calls };
    const results = ["c2", "c1"].map((id) => ({ ...result, tool_call_id: id, content: id }));
    expect(parseChatExample({ messages: [user, asking, ...results, answer] })).toMatchObject({
      messages: [
        user,
        { role: "assistant" },
        { role: "tool", name: "c1", callId: "c1", content: "c1" },
        { role: "tool", name: "c2", callId: "c2", content: "c2" },
        answer,
      ],
    });
  });

  it("trains only turns of weight 1, and ends with the last of them", () => {
    const turns = [1, 0, 1, 0].flatMap((weight) => [user, { ...answer, weight }]);
    const trained = { ...answer, reasoning: null, calls: [] };
    expect(parseChatExample({ messages: turns })).toMatchObject({
      messages: [user, trained, user, { ...trained, isTrained: false }, user, trained],
    });
  });

  it.each<[Json, string, RegExp]>([
    ["text", "", /object with messages/],
    [[], "", /object with messages/],
    [null, "", /object with messages/],
    [{}, "messages", /list of messages/],
    [{ messages: "Hi" }, "messages", /list of messages/],
    [{ messages: [] }, "messages", /no message of the assistant/],
    [{ messages: [user] }, "messages", /no message of the assistant/],
    [{ messages: [user, "6"] }, "messages[1]", /object/],
    [{ messages: [user, { content: "6" }] }, "messages[1].role", /got nothing/],
    [{ messages: [user, { role: "bot", content: "6" }] }, "messages[1].role", /got "bot"/],
    [{ messages: [answer] }, "messages[0].role", /cannot speak first/],
    [{ messages: [user, answer, answer] }, "messages[2].role", /twice in a row/],
    [{ messages: [user, { role: "system", content: "x" }, answer] }, "messages[1].role", /first/],
    [{ messages: [{ role: "user" }, answer] }, "messages[0].content", /text, got nothing/],
    [{ messages: [{ role: "user", content: 7 }, answer] }, "messages[0].content", /got 7/],
    [
      { messages: [{ role: "user", content: [{ type: "image_url" }] }, answer] },
      "messages[0].content[0]",
      /type text/,
    ],
    [
      { messages: [{ role: "user", content: [{ type: "text" }] }, answer] },
      "messages[0].content[0]",
      /type text/,
    ],
    [{ messages: [user, { role: "assistant", content: "" }] }, "messages[1].content", /nothing/],
    [{ messages: [user, { role: "assistant" }] }, "messages[1].content", /text, got nothing/],
    [
      { messages: [user, { role: "assistant", content: "<think>Two threes. 6" }] },
      "messages[1].content",
      /never closed.*reasoning_content/,
    ],
    [
      { messages: [user, { role: "assistant", content: "<think>Two threes.</think>" }] },
      "messages[1].content",
      /says nothing/,
    ],
    [
      { messages: [user, { ...answer, reasoning_content: 5 }] },
      "messages[1].reasoning_content",
      /got 5/,
    ],
    [
      { messages: [user, { ...answer, weight: 0 }] },
      "messages",
      /no message of the assistant to imitate/,
    ],
    [{ messages: [user, { ...answer, weight: 0.5 }] }, "messages[1].weight", /0 or 1, got 0.5/],
    [{ messages: [user, { ...answer, tool_calls: {} }] }, "messages[1].tool_calls", /list/],
    [
      { messages: [user, { ...answer, function_call: {} }] },
      "messages[1].function_call",
      /older form of a call/,
    ],
    [
      {
        messages: [
          user,
          { ...calling, tool_calls: [...calling.tool_calls, ...calling.tool_calls] },
        ],
      },
      "messages[1].tool_calls[1].id",
      /same id, "c1"/,
    ],
    [withCall({}), "messages[1].tool_calls[0].function", /object/],
    [
      withCall({ function: { arguments: "{}" } }),
      "messages[1].tool_calls[0].function.name",
      /name of a tool/,
    ],
    [
      withCall({ function: { name: "calc", arguments: "{" } }),
      "messages[1].tool_calls[0].function.arguments",
      /JSON object as text/,
    ],
    [
      withCall({ function: { name: "calc", arguments: "[1]" } }),
      "messages[1].tool_calls[0].function.arguments",
      /JSON object as text/,
    ],
    [
      withCall({ function: { name: "calc" } }),
      "messages[1].tool_calls[0].function.arguments",
      /got nothing/,
    ],
    [
      { messages: [user, calling, { role: "tool", content: "6" }, answer] },
      "messages[2].tool_call_id",
      /earlier call/,
    ],
    [
      { messages: [user, calling, { ...result, tool_call_id: "c2" }, answer] },
      "messages[2].tool_call_id",
      /got "c2"/,
    ],
    [
      { messages: [user, calling, result, answer, user, result, answer] },
      "messages[5].role",
      /follow the call/,
    ],
    [
      { messages: [user, calling, user, answer] },
      "messages[1]",
      /result of the call c1 must follow/,
    ],
    [{ messages: [user, calling, result, result, answer] }, "messages[3]", /two results/],
    [{ messages: [user, answer], tools: {} }, "tools", /list of tools/],
    [{ messages: [user, answer], tools: [5] }, "tools[0]", /object/],
    [{ messages: [user, answer], tools: [{ type: "web_search" }] }, "tools[0].type", /"function"/],
    [{ messages: [user, answer], tools: [{ function: {} }] }, "tools[0].function.name", /name/],
    [
      { messages: [user, answer], tools: [{ function: { name: "a", description: 5 } }] },
      "tools[0].function.description",
      /text/,
    ],
    [
      { messages: [user, answer], tools: [{ function: { name: "a", parameters: [] } }] },
      "tools[0].function.parameters",
      /JSON Schema/,
    ],
    [{ messages: [user, answer], split: "dev" }, "split", /got "dev"/],
  ])("is refused with the column and the reason: %j", (line, column, reason) => {
    expect(parseChatExample(line)).toEqual({ column, reason: expect.stringMatching(reason) });
  });
});
