import { once } from "node:events";
import { request } from "node:http";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { endOf, exportsOf, startProgram } from "./trainProgram.ts";

/** The program serving the embedded base model, and its output. */
async function startModel() {
  const child = startProgram(["serve-model", "local/tiny-tool", "--max_total_tokens", "200"], {});
  const ended = endOf(child);
  const read = await exportsOf(child, "ANTHROPIC_API_KEY");
  const key = read("OPENAI_API_KEY");
  return {
    key,
    url: read("ANTHROPIC_BASE_URL"),
    openai: new OpenAI({ baseURL: read("OPENAI_BASE_URL"), apiKey: key, maxRetries: 0 }),
    anthropic: new Anthropic({
      baseURL: read("ANTHROPIC_BASE_URL"),
      apiKey: read("ANTHROPIC_API_KEY"),
      maxRetries: 0,
    }),
    stop: async () => {
      child.kill("SIGINT");
      return ended;
    },
  };
}

let served: Awaited<ReturnType<typeof startModel>>;
beforeAll(async () => {
  served = await startModel();
});
const schema = { type: "object", properties: { expr: { type: "string" } } } as const;
const tools = [
  {
    type: "function" as const,
    function: { name: "calc", description: "Calculates.", parameters: schema },
  },
];
const asked = { role: "user" as const, content: "What is 3 + 4?" };

/** Not in the package's types. */
const WITH_IDS = { model: "any", return_token_ids: true };

interface TokenIds {
  readonly prompt_token_ids: readonly number[];
  readonly choices: readonly { readonly token_ids: readonly number[] }[];
}

/** Vendors' packages forward unknown fields. */
function idsOf(completion: object) {
  const { prompt_token_ids: prompt, choices } = completion as TokenIds;
  return { prompt, turn: choices[0]?.token_ids ?? [] };
}

/** A seed with which the base model calls the tool. */
async function firstCall() {
  for (let seed = 0; seed < 20; seed += 1) {
    const body = { ...WITH_IDS, messages: [asked], tools, seed, logprobs: true };
    const completion = await served.openai.chat.completions.create(body);
    const [choice] = completion.choices;
    if (choice?.finish_reason === "tool_calls") return { completion, choice, seed };
  }
  throw new Error("the base never calls the tool");
}

describe("OpenAI's official package", () => {
  it("plays two turns with a tool, after exactly the token ids that were sampled", async () => {
    const { completion, choice } = await firstCall();
    const { message, logprobs } = choice;
    const ids = idsOf(completion);
    expect(logprobs?.content?.length).toBe(ids.turn.length);
    expect(completion.usage?.completion_tokens).toBe(ids.turn.length);
    expect(completion.usage?.prompt_tokens).toBe(ids.prompt.length);
    const results = (message.tool_calls ?? []).map(({ id }) => {
      return { role: "tool" as const, tool_call_id: id, content: "7" };
    });
    const body = { ...WITH_IDS, messages: [asked, message, ...results], tools };
    const second = await served.openai.chat.completions.create(body);
    const known = [...ids.prompt, ...ids.turn];
    expect(idsOf(second).prompt.slice(0, known.length)).toEqual(known);
    expect(idsOf(second).prompt.length).toBeGreaterThan(known.length);
  });

  it("streams the same turn for the same seed, with usage", async () => {
    const { completion, choice, seed } = await firstCall();
    const stream = await served.openai.chat.completions.create({
      model: "any",
      messages: [asked],
      tools,
      seed,
      stream: true,
      stream_options: { include_usage: true },
    });
    const calls: string[] = [];
    let finish: string | null = null;
    let used: OpenAI.CompletionUsage | null | undefined;
    for await (const { choices, usage } of stream) {
      const [part] = choices;
      finish = part?.finish_reason ?? finish;
      used = usage ?? used;
      for (const call of part?.delta.tool_calls ?? []) calls.push(call.function?.arguments ?? "");
    }
    const whole = choice.message.tool_calls ?? [];
    expect(calls).toEqual(
      whole.map((call) => (call.type === "function" ? call.function.arguments : null)),
    );
    expect(finish).toBe("tool_calls");
    expect(used?.total_tokens).toBe(completion.usage?.total_tokens);
  });

  it("plays two turns over the Responses API, whole and streamed", async () => {
    const tool = {
      type: "function" as const,
      name: "calc",
      parameters: schema,
      strict: false,
    };
    const body = { model: "any", instructions: "Use the tool.", tools: [tool] };
    const first = await served.openai.responses.create({ ...body, input: [asked] });
    const outputs = first.output.flatMap((item) =>
      item.type === "function_call"
        ? [{ type: "function_call_output" as const, call_id: item.call_id, output: "7" }]
        : [],
    );
    const next = outputs.length > 0 ? outputs : [asked];
    const stream = served.openai.responses.stream({
      ...body,
      input: [asked, ...first.output, ...next],
    });
    const names: string[] = [];
    for await (const { type } of stream) names.push(type);
    expect(names[0]).toBe("response.created");
    const second = await stream.finalResponse();
    expect(second.output.length).toBeGreaterThan(0);
    expect(second.usage?.input_tokens).toBeGreaterThan(first.usage?.total_tokens ?? Infinity);
  });

  it("supports a token limit, readable errors, and the model's name", async () => {
    const { completions } = served.openai.chat;
    const cut = await completions.create({ model: "any", messages: [asked], max_tokens: 1 });
    expect(cut.choices[0]?.finish_reason).toBe("length");
    expect(cut.usage?.completion_tokens).toBe(1);
    const refused = completions.create({ model: "any", messages: [asked], n: 2 });
    await expect(refused).rejects.toMatchObject({ status: 400, param: "n" });
    const long = { role: "user" as const, content: "1 + 1 = ? ".repeat(200) };
    await expect(completions.create({ model: "any", messages: [long] })).rejects.toMatchObject({
      code: "context_length_exceeded",
    });
    const { data } = await served.openai.models.list();
    expect(data.map(({ id }) => id)).toEqual(["local/tiny-tool"]);
  });
});

describe("Anthropic's official package", () => {
  const declared = [{ name: "calc", description: "Calculates.", input_schema: schema }];
  const begin = { model: "any", max_tokens: 60, tools: declared, system: "Use the tool." };

  it("plays two turns with a tool", async () => {
    const first = await served.anthropic.messages.create({ ...begin, messages: [asked] });
    const results = first.content.flatMap((block) =>
      block.type === "tool_use"
        ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "7" }]
        : [],
    );
    const next = results.length > 0 ? results : "Go on.";
    const second = await served.anthropic.messages.create({
      ...begin,
      messages: [
        asked,
        { role: "assistant", content: first.content },
        { role: "user", content: next },
      ],
    });
    const total = ({ usage }: typeof first) =>
      usage.input_tokens + (usage.cache_read_input_tokens ?? 0);
    expect(total(second)).toBeGreaterThan(total(first) + first.usage.output_tokens);
    expect(["tool_use", "end_turn", "max_tokens"]).toContain(second.stop_reason);
  });

  it("streams a turn, counts tokens, and gets errors in its own format", async () => {
    const { messages } = served.anthropic;
    const stream = messages.stream({ ...begin, messages: [asked] });
    const names: string[] = [];
    for await (const { type } of stream) names.push(type);
    expect([names[0], names.at(-1)]).toEqual(["message_start", "message_stop"]);
    const final = await stream.finalMessage();
    expect(final.content.length).toBeGreaterThan(0);
    const counted = await messages.countTokens({ ...begin, messages: [asked] });
    expect(counted.input_tokens).toBe(
      final.usage.input_tokens + (final.usage.cache_read_input_tokens ?? 0),
    );
    const choice = { tool_choice: { type: "any" as const } };
    await expect(messages.create({ ...begin, ...choice, messages: [asked] })).rejects.toThrow(
      /invalid_request_error.*tool_choice/,
    );
  });
});

describe("other clients", () => {
  it("without the key are refused in the format of their protocol", async () => {
    const at = async (path: string) => {
      const response = await fetch(`${served.url}${path}`, { method: "POST", body: "{}" });
      return { status: response.status, body: await response.text() };
    };
    const openai = await at("/v1/chat/completions");
    expect([openai.status, JSON.parse(openai.body).error.code]).toEqual([401, "invalid_api_key"]);
    const anthropic = await at("/v1/messages");
    expect(JSON.parse(anthropic.body)).toMatchObject({ error: { type: "authentication_error" } });
    expect(openai.body + anthropic.body).not.toContain(served.key);
  });

  it("that use another host name, as a web page could, are refused", async () => {
    const { port } = new URL(served.url);
    const headers = { Host: "evil.example", Authorization: `Bearer ${served.key}` };
    const sent = request({ host: "127.0.0.1", port, path: "/v1/models", headers });
    sent.end();
    const [response] = await once(sent, "response");
    response.resume();
    expect(response.statusCode).toBe(403);
  });
});

afterAll(async () => {
  const { code, stdout, stderr } = await served.stop();
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(/used +[\d,]+ tokens\n$/);
});
