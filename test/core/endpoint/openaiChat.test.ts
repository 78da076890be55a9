import { describe, expect, it } from "vitest";
import { ColumnError } from "../../../src/core/chat/openaiMessages.ts";
import {
  type ChatCompletionRequest,
  chatCompletion,
  chatCompletionChunks,
  openaiError,
  readChatCompletion,
} from "../../../src/core/endpoint/openaiChat.ts";
import { parseExactJson, writeExactJson } from "../../../src/core/util/exactJson.ts";
import { aPolicy, FACTS } from "./aPolicy.ts";
import { aTurn, CALL, refusalIn } from "./policyTurns.ts";

const messages = [{ role: "user", content: "Hi" }] as const;
const IMAGE_ELSEWHERE = { type: "image_url", image_url: { url: "https://example.com/a.png" } };
const read = (body: object) => readChatCompletion(parseExactJson(JSON.stringify(body)));
const json = (value: Parameters<typeof writeExactJson>[0]) => JSON.parse(writeExactJson(value));

describe("a request", () => {
  it("is read with its settings", () => {
    const request = read({
      model: "any",
      messages,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 0,
      max_completion_tokens: 20,
      seed: 3,
      stop: "END",
      stream: true,
      stream_options: { include_usage: true },
      logprobs: true,
      n: 1,
      user: "me",
    });
    expect(request).toEqual({
      messages,
      images: [],
      tools: [],
      sampling: { temperature: 0.5, topP: 0.9, topK: -1, maxTokens: 20, seed: 3 },
      stopTexts: ["END"],
      oneCall: false,
      wantsCall: false,
      isStreamed: true,
      streamsUsage: true,
      wantsLogprobs: true,
      wantsTokenIds: false,
    } satisfies ChatCompletionRequest);
  });

  it("may have null for omitted fields", () => {
    const left = { name: "add", description: null, parameters: null };
    const { tools } = read({ messages, tools: [{ type: "function", function: left }] });
    const parameters = { type: "object", properties: {} };
    expect(tools).toMatchObject([{ function: { name: "add", description: "", parameters } }]);
  });

  it("may have a call with blank arguments", () => {
    const calls = [{ id: "a", function: { name: "add", arguments: "" } }];
    const said = { role: "assistant", content: null, tool_calls: calls };
    const answer = { role: "tool", tool_call_id: "a", content: "1" };
    expect(read({ messages: [...messages, said, answer] }).messages[1]).toMatchObject({
      calls: [{ name: "add", args: {} }],
    });
  });

  it("joins leading system texts, and hides tools when no call is allowed", () => {
    const tools = [{ type: "function", function: { name: "add" } }];
    const system = ["Be short.", "Be kind."].map((content) => ({ role: "developer", content }));
    const request = read({ messages: [...system, ...messages], tools, tool_choice: "none" });
    expect(request.messages.map(({ content }) => content)).toEqual(["Be short.\n\nBe kind.", "Hi"]);
    expect(request.tools).toEqual([]);
  });

  it("records that a call is required, which is accepted from an agent and refused for a checkpoint", async () => {
    const body = { messages, tool_choice: "required" };
    expect(read(body)).toMatchObject({ wantsCall: true });
    const { complete } = aPolicy([]);
    await expect(complete(body)).rejects.toThrow("tool_choice: the model decides by itself");
  });

  const calls = [{ id: "a", function: { name: "add", arguments: "{}" } }];
  const called = [...messages, { role: "assistant", content: null, tool_calls: calls }];
  const answered = { role: "tool", tool_call_id: "a", content: "1" };
  it.each([
    [{ n: 2 }, "n", "n: 2 is not supported."],
    [
      { response_format: { type: "json_schema" } },
      "response_format",
      "output formats are not enforced",
    ],
    [{ tool_choice: { type: "function" } }, "tool_choice", "Use auto or none."],
    [{ presence_penalty: 0.5 }, "presence_penalty", "0.5 is not supported."],
    [{ top_logprobs: 3 }, "top_logprobs", "the sampled tokens alone"],
    [{ logit_bias: {} }, "logit_bias", "does not know this parameter"],
    [{ modalities: ["audio"] }, "modalities", "text only"],
    [{ temperature: 3 }, "temperature", "expected a number from 0 to 2, got 3"],
    [{ max_tokens: 0.5 }, "max_tokens", "expected an integer of at least 1, got 0.5"],
    [{ stream: "yes" }, "stream", 'expected true or false, got "yes"'],
    [{ stop: [""] }, "stop", "expected texts that are not empty"],
    [{ stream_options: { more: 1 } }, "stream_options.more", "does not know this parameter"],
    [{ messages: [] }, "messages", "expected at least one message"],
    [
      { messages: [...messages, { role: "system", content: "x" }, ...messages] },
      "messages[1].role",
      "a system message can only be at the beginning",
    ],
    [{ messages: called }, "messages[1].role", "the last message must be"],
    [{ top_p: 0 }, "top_p", "expected a number above 0, at most 1, got 0"],
    [{ messages: [...called, ...messages] }, "messages[1]", "the result of the call a must follow"],
    [{ messages: [...called, answered, answered] }, "messages[3]", "the call has two results"],
    [
      { messages: [{ role: "user", content: [IMAGE_ELSEWHERE] }] },
      "messages[0].content[0].image_url",
      "images are not downloaded",
    ],
    [
      { messages: [{ role: "system", content: [IMAGE_ELSEWHERE] }] },
      "messages[0].content[0]",
      "images in user messages and results",
    ],
  ])("is refused with an explanation: %j", (change, param, message) => {
    const refusal = refusalIn(() => read({ messages, ...change }));
    expect(refusal).toMatchObject({ status: 400, param });
    expect(refusal.message).toContain(message);
    expect(json(openaiError(refusal)).error).toMatchObject({
      type: "invalid_request_error",
      param,
    });
  });

  it("that is not an object is refused", () => {
    expect(() => readChatCompletion([])).toThrow(ColumnError);
  });
});

describe("an answer", () => {
  it("has reasoning, text, and calls with exact numbers", () => {
    const turn = aTurn({ reasoning: "Hm.", calls: [CALL], end: "calls" });
    expect(json(chatCompletion(turn, read({ messages, logprobs: true }), FACTS))).toEqual({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 7,
      model: "demo",
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: "Hello",
            refusal: null,
            reasoning_content: "Hm.",
            tool_calls: [
              {
                id: "call_1",
                type: "function",
                function: { name: "add", arguments: '{"a":12345678901234567890}' },
              },
            ],
          },
          logprobs: {
            content: [
              { token: "<4>", logprob: -0.5, bytes: null, top_logprobs: [] },
              { token: "<5>", logprob: -0.25, bytes: null, top_logprobs: [] },
            ],
            refusal: null,
          },
          finish_reason: "tool_calls",
        },
      ],
      usage: {
        prompt_tokens: 3,
        completion_tokens: 2,
        total_tokens: 5,
        prompt_tokens_details: { cached_tokens: 2 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  it("streams as chunks of the same answer", () => {
    const request = read({
      messages,
      stream: true,
      stream_options: { include_usage: true },
      return_token_ids: true,
    });
    const turn = aTurn({ reasoning: "Hm.", calls: [CALL], end: "calls" });
    const chunks = chatCompletionChunks(turn, request, FACTS).map(json);
    const whole = json(chatCompletion(turn, request, FACTS));
    const deltas = chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta);
    const [{ message, token_ids, finish_reason }] = whole.choices;
    expect(deltas).toEqual([
      { role: "assistant", content: "" },
      { reasoning_content: message.reasoning_content },
      { content: message.content },
      { tool_calls: [{ index: 0, ...message.tool_calls[0] }] },
      {},
    ]);
    expect(chunks.at(-2).choices[0]).toMatchObject({ finish_reason, token_ids });
    expect(chunks[0].prompt_token_ids).toEqual(whole.prompt_token_ids);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set(["chatcmpl-1"]));
  });

  it.each([
    ["turn", "stop"],
    ["stop_text", "stop"],
    ["length", "length"],
  ] as const)("with end reason %s has finish reason %s", (end, reason) => {
    const answer = json(chatCompletion(aTurn({ end }), read({ messages }), FACTS));
    expect(answer.choices[0]).toMatchObject({ finish_reason: reason, logprobs: null });
  });
});
