import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import {
  type ExampleTraining,
  writeExampleFolder,
} from "../../../src/trainer/examples/exampleFolder.ts";
import { renderer, tokenizer } from "../../core/rollout/scriptedModel.ts";
import { aConfig } from "../../core/training/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();
const fileSystem = filesOnDisk();

const CALL = {
  id: "c1",
  type: "function",
  function: { name: "calc", arguments: '{"expr":"1+1"}' },
};
const CONVERSATION = {
  messages: [
    { role: "system", content: "Be brief." },
    { role: "user", content: "1+1?" },
    { role: "assistant", content: "Let me see.", reasoning_content: "Easy.", tool_calls: [CALL] },
    { role: "tool", tool_call_id: "c1", content: "2" },
    { role: "assistant", content: "2" },
  ],
  tools: [{ type: "function", function: { name: "calc", parameters: { type: "object" } } }],
};

async function read(lines: readonly unknown[], training: ExampleTraining | null = null) {
  const path = join(folder, "demos.jsonl");
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const parent = join(folder, "examples");
  const run = await writeExampleFolder({ fileSystem, path, parent, training });
  const reader = createRunReader(fileSystem.within(run), run);
  return { run, reader, rollouts: await reader.rollouts(0) };
}

describe("a file of conversations as a run", () => {
  it("has their messages, calls and results, turn by turn", async () => {
    const { reader, rollouts } = await read([CONVERSATION]);
    const [first] = rollouts;
    const record = first === undefined ? null : await reader.body(first);
    expect(record).toMatchObject({
      systemText: "Be brief.",
      promptText: "1+1?",
      tools: [{ name: "calc" }],
      stop: "example",
      reward: null,
    });
    expect(record?.turns).toMatchObject([
      {
        reasoning: "Easy.",
        content: "Let me see.",
        calls: [{ name: "calc", args: '{"expr":"1+1"}' }],
        results: [{ name: "calc", text: "2" }],
      },
      { content: "2", calls: [], results: [] },
    ]);
  });

  it("shows which of them a run would train on", async () => {
    const { rollouts } = await read([
      CONVERSATION,
      "no conversation",
      { ...CONVERSATION, split: "test" },
      { ...CONVERSATION, split: "held_out" },
    ]);
    expect(rollouts.map(({ index, score }) => [index, score?.trainingUse])).toEqual([
      [0, "trained"],
      [2, "excluded:test"],
      [3, "excluded:held_out"],
    ]);
  });

  it("has a model's tokens, with the trained ones marked", async () => {
    const messages = [
      { role: "user", content: "Hi" },
      { role: "assistant", content: "A" },
      { role: "user", content: "Again" },
      { role: "assistant", content: "B" },
    ];
    const config = aConfig({ train_on: "last_turn" });
    const { reader, rollouts } = await read([{ messages }], {
      chat: { renderer, tokenizer },
      config,
    });
    const [place] = rollouts[0]?.tokenData ?? [];
    const tokens =
      place === undefined ? null : await reader.tokens({ source: "training", step: 0 }, place);
    const trained = Array.from(tokens?.ids ?? []).filter((_, at) => tokens?.mask[at] === 1);
    expect(tokenizer.decode(trained)).toContain("B");
    expect(tokenizer.decode(trained)).not.toContain("A");
  });

  it("is rejected without any conversation", async () => {
    await expect(read(["nothing"])).rejects.toMatchObject({
      code: "no-examples",
      message: expect.stringContaining("line 1: expected an object with messages"),
    });
  });
});
