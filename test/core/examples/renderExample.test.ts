import { describe, expect, it } from "vitest";
import type { InitialMessage } from "../../../src/core/chat/renderer.ts";
import { renderExample } from "../../../src/core/examples/renderExample.ts";
import { qwen3Model } from "../../node/tokenizer/qwen3Model.ts";
import { qwen3Chat } from "../chat/qwen3Chat.ts";

const { tokenizer } = qwen3Model;

const messages: readonly InitialMessage[] = [
  { role: "user", content: "One?" },
  { role: "assistant", content: "First.", reasoning: "Easy.", calls: [] },
  { role: "user", content: "Two?" },
  { role: "assistant", content: "Second <|im_end|>.", reasoning: null, calls: [] },
];

async function rendered(
  options: Partial<Parameters<typeof renderExample>[1]> = {},
  given: readonly InitialMessage[] = messages,
) {
  const conversation = { messages: given, tools: [] };
  const all = {
    chat: qwen3Chat(false),
    trainOn: "all_turns",
    trainThinking: true,
    ...options,
  } as const;
  const { streams, record } = await renderExample(conversation, all);
  const texts = streams.map(({ tokens, mask }) => ({
    whole: tokenizer.decode(tokens),
    trained: tokenizer.decode(tokens.filter((_, i) => mask[i] === 1)),
  }));
  return { texts, record };
}

describe("a conversation in the model's tokens", () => {
  it("is one stream that trains the model's turns including their ends", async () => {
    const { texts } = await rendered();
    expect(texts).toEqual([
      {
        whole: [
          "<|im_start|>user\nOne?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nFirst.<|im_end|>\n",
          "<|im_start|>user\nTwo?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\nSecond <|im_end|>.<|im_end|>",
        ].join(""),
        trained: "First.<|im_end|>Second <|im_end|>.<|im_end|>",
      },
    ]);
  });

  it("trains only the last turn on request", async () => {
    const { texts } = await rendered({ trainOn: "last_turn" });
    expect(texts.map(({ trained }) => trained)).toEqual(["Second <|im_end|>.<|im_end|>"]);
  });

  it("does not train a turn that is only context", async () => {
    const given = messages.map((message, i) =>
      i === 1 ? { ...message, isTrained: false } : message,
    );
    const { texts } = await rendered({}, given as typeof messages);
    expect(texts[0]?.whole).toContain("First.");
    expect(texts.map(({ trained }) => trained)).toEqual(["Second <|im_end|>.<|im_end|>"]);
  });

  it("has reasoning at the start of the content as the reasoning of its format", async () => {
    const content = "<think>\nEasy.\n</think>\n\nFirst.";
    const given = [
      { role: "user", content: "One?" },
      { role: "assistant", content, reasoning: null, calls: [] },
    ] as const;
    const trained = async (options: Parameters<typeof rendered>[0]) =>
      (await rendered(options, given)).texts.map((text) => text.trained);
    const whole = [`${content}<|im_end|>`];
    expect(await trained({ chat: qwen3Chat(true) })).toEqual(whole);
    const bare = { chat: qwen3Chat(true), trainThinking: false };
    expect(await trained(bare)).toEqual(["<think>\n\n</think>\n\nFirst.<|im_end|>"]);
    expect(await trained({ chat: qwen3Chat(false) })).toEqual(["First.<|im_end|>"]);
    // A model without these tags learns to write them as text.
    const untagged = Object.create(tokenizer, { addedTokens: { value: [] } });
    expect(await trained({ chat: { ...qwen3Chat(false), tokenizer: untagged } })).toEqual(whole);
  });

  it("starts another stream when the format drops reasoning, as a rollout does", async () => {
    const { texts } = await rendered({ chat: qwen3Chat(true, "template") });
    expect(texts.map(({ trained }) => trained)).toEqual([
      "<think>\nEasy.\n</think>\n\nFirst.<|im_end|>",
      "<think>\n\n</think>\n\nSecond <|im_end|>.<|im_end|>",
    ]);
    expect(texts[1]?.whole).not.toContain("Easy.");
  });

  it("omits reasoning that is not to be trained", async () => {
    const { texts } = await rendered({ chat: qwen3Chat(true, "template"), trainThinking: false });
    expect(texts.map(({ whole }) => whole).join()).not.toContain("Easy.");
  });

  it("never makes control tokens from a conversation's text", async () => {
    const end = tokenizer.addedTokens.find(({ text }) => text === "<|im_end|>")?.id;
    const { streams } = await renderExample(
      { messages, tools: [] },
      { chat: qwen3Chat(false), trainOn: "all_turns", trainThinking: true },
    );
    const ends = streams.flatMap(({ tokens }) => [...tokens].filter((id) => id === end));
    // Two of the user's turns, two of the model's.
    expect(ends).toHaveLength(4);
  });

  it("is stored as a rollout with the messages between its turns", async () => {
    const { record } = await rendered();
    expect(record).toMatchObject({
      promptText: "One?",
      stop: "example",
      reward: null,
      turns: [
        { content: "First.", nudge: "Two?" },
        { content: "Second <|im_end|>.", nudge: null },
      ],
    });
  });

  it("is refused if a run would read something different", async () => {
    const text = '<tool_call>\n{"name": "calc", "arguments": {}}\n</tool_call>';
    const given: readonly InitialMessage[] = [
      { role: "user", content: "One?" },
      { role: "assistant", content: `  ${text} and more`, reasoning: null, calls: [] },
    ];
    const { renderer } = qwen3Chat(false);
    const confused = { ...renderer, writeTurn: () => tokenizer.encodeText("Something else") };
    const chat = { renderer: confused, tokenizer };
    await expect(rendered({ chat }, given)).rejects.toMatchObject({ code: "example-unwritable" });
  });
});
