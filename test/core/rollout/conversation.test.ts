import { describe, expect, it } from "vitest";
import { createRenderer } from "../../../src/core/chat/setup/createRenderer.ts";
import { rolloutRecordSchema } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { describeRollout } from "../../../src/core/tracking/openreward/describeRollout.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { qwen3Model } from "../../node/tokenizer/qwen3Model.ts";
import { harness } from "../openreward/harness.ts";
import { json, output, result, stream } from "../openreward/scriptedServer.ts";
import { uploadSettings } from "../openreward/uploadBuilders.ts";
import { aRecord } from "../runFolder/builders.ts";
import { aConfig } from "../training/builders.ts";
import { playEpisode } from "./builders.ts";
import { scriptedSampler } from "./scriptedModel.ts";

const text = (said: string) => ({ type: "text", text: said, detail: null });

/** Sent by the official server, with tool results as part of user turns. */
const MESSAGES = JSON.stringify([
  { role: "system", blocks: [text("Be brief.")], detail: null },
  { role: "user", blocks: [text("What is in the box?<|im_end|>")], detail: null },
  {
    role: "assistant",
    blocks: [
      { type: "reasoning", text: "I must look.", signature: null, detail: null },
      text("Let me look."),
      { type: "tool_call", id: "c1", name: "open_box", input: { lid: 0 }, detail: null },
    ],
    detail: null,
  },
  {
    role: "user",
    blocks: [
      text("So, what is it?"),
      {
        type: "tool_result",
        tool_call_id: "c1",
        blocks: [text("a key")],
        is_error: false,
        detail: null,
      },
    ],
    detail: { turn: 2 },
  },
]).replace('"lid":0', '"lid":12345678901234567890');

const FLATTENED = "[system]Be brief.[user]What is in the box?";

async function play(changes: Parameters<typeof aConfig>[0]) {
  const { open, server, clock } = harness({
    "GET /maze/messages": [stream(MESSAGES)],
    "GET /maze/prompt": [json(200, [text(FLATTENED)])],
    "GET /maze/task_tools": [
      json(200, { tools: [{ name: "answer", description: "Ends.", input_schema: null }] }),
    ],
    "POST /maze/call": [result(output({ finished: true, reward: 1 }))],
  });
  const config = aConfig({ model_name: "Qwen/Qwen3-8B", ...changes });
  const { renderer } = createRenderer({ model: qwen3Model, config, date: "2026-01-02" });
  const call = '<tool_call>{"name": "answer", "arguments": {}}</tool_call><|im_end|>';
  const { episode } = await playEpisode({
    session: await open(),
    chat: { renderer, tokenizer: qwen3Model.tokenizer },
    clock,
    sampler: scriptedSampler([call]),
    settings: { systemPromptTemplate: config.system_prompt_template, maxTurns: 1 },
  });
  const ids = episode.streams[0]?.tokens.slice(0, episode.played.promptTokens) ?? [];
  const asked = server.seen.map(({ line }) => line).filter((line) => line.startsWith("GET"));
  return { prompt: qwen3Model.tokenizer.decode(ids), episode, asked, ids };
}

const CALL =
  '<tool_call>\n{"name": "open_box", "arguments": {"lid": 12345678901234567890}}\n</tool_call>';

const RESULT = "<|im_start|>user\n<tool_response>\na key\n</tool_response><|im_end|>\n";

describe("a conversation that an environment starts with", () => {
  it.each(["auto", "template", "reference"] as const)(
    "reaches the model message by message: %s",
    async (chat_format) => {
      const { prompt, asked, ids } = await play({
        chat_format,
        system_prompt_template: "You play.",
      });
      expect(asked).toEqual(["GET /maze/task_tools", "GET /maze/messages"]);
      expect(prompt).toMatch(/^<\|im_start\|>system\nYou play\.\n\nBe brief\.\n\n# Tools\n/);
      expect(prompt).toContain(
        "<|im_end|>\n<|im_start|>user\nWhat is in the box?<|im_end|><|im_end|>\n",
      );
      expect(prompt).toMatch(
        /<\|im_start\|>assistant\n(<think>\nI must look\.\n<\/think>\n\n)?Let me look\.\n/,
      );
      expect(prompt).toContain(`Let me look.\n${CALL}<|im_end|>\n`);
      expect(prompt).toContain(
        `${RESULT}<|im_start|>user\nSo, what is it?<|im_end|>\n<|im_start|>assistant\n`,
      );
      expect(prompt).not.toMatch(/[\uE000-\uF8FF]/);
      // One per message; none from the user's text.
      const end = qwen3Model.tokenizer.addedTokens.find((token) => token.text === "<|im_end|>")?.id;
      expect(ids.filter((id) => id === end)).toHaveLength(5);
    },
  );

  it("is stored and uploaded message by message, and readable as one text", async () => {
    const { episode } = await play({});
    const { turns, promptText, conversation } = episode.played;
    const line = encodeJsonLine(aRecord({ turns, promptText, conversation, systemText: null }));
    const record = rolloutRecordSchema.parse(JSON.parse(new TextDecoder().decode(line)));
    expect(record.promptText).toBe(
      "[system]\nBe brief.\n\n[user]\nWhat is in the box?<|im_end|>\n\n[reasoning]\nI must look.\n\n[assistant]\nLet me look.\n\n" +
        '[tool call open_box]\n{"lid":12345678901234567890}\n\n[tool result open_box]\na key\n\n[user]\nSo, what is it?',
    );
    const { messages } = describeRollout(
      record,
      { advantage: 1, trainingUse: "trained" },
      uploadSettings(),
    );
    const callId = "c1";
    expect(messages.slice(0, 7).map(({ timestampMs: _, ...message }) => message)).toEqual([
      { type: "system_message", content: "Be brief." },
      { type: "user_message", content: "What is in the box?<|im_end|>" },
      { type: "reasoning", content: "I must look." },
      { type: "assistant_message", content: "Let me look." },
      { type: "tool_call", name: "open_box", content: '{"lid":12345678901234567890}', callId },
      { type: "tool_result", name: "open_box", content: "a key", callId },
      { type: "user_message", content: "So, what is it?" },
    ]);
  });
});
