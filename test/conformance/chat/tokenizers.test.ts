import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it, type TestContext } from "vitest";
import * as z from "zod";
import type { Tokenizer } from "../../../src/core/chat/tokenizer.ts";
import { writeBytes } from "../../../src/node/tokenizer/byteLevel.ts";
import { loadFiles } from "../../crossChecks/tokenizerData.ts";
import { addTally } from "../tally.ts";
import {
  CHAT_KIT,
  hasKitTokenizers,
  KIT_TOKENIZERS,
  kitFiles,
  kitTokenizer,
} from "./kitTokenizers.ts";

const vector = z.object({
  text: z.string(),
  ids: z.array(z.int()),
  decoded: z.string().optional(),
});

/** Recorded texts by their tokenizer; versions of Kimi differ only in their added tokens. */
const RECORDED = KIT_TOKENIZERS.map(
  (name) => [name, name.replace(/^(kimi-k2).*/, "$1")] as const,
).filter(([, recorded]) => !["qwen2.5", "qwen3", "gpt-oss", "llama3.1"].includes(recorded));

/** Compares all recorded texts, and counts them. */
function expectRecorded(test: TestContext, tokenizer: Tokenizer, recorded: string): void {
  const path = join(CHAT_KIT, `tokenizers/encode-${recorded}.jsonl.gz`);
  const vectors = gunzipSync(readFileSync(path))
    .toString("utf8")
    .trim()
    .split("\n")
    .map((line) => vector.parse(JSON.parse(line)));
  const wrong = vectors.filter(
    ({ text, ids, decoded }) =>
      tokenizer.encodeText(text).join() !== ids.join() ||
      tokenizer.decode(ids) !== (decoded ?? text),
  );
  addTally(test, {
    checks: vectors.length,
    differences: wrong.map(({ text }) => `${recorded}: ${JSON.stringify(text)}`),
    explained: [],
  });
  expect(vectors.length).toBeGreaterThan(400);
  expect(wrong).toEqual([]);
}

describe.skipIf(!hasKitTokenizers).each(RECORDED)("the tokenizer of %s", (name, recorded) => {
  it("encodes and decodes every recorded text like the original", async (test) => {
    expectRecorded(test, await kitTokenizer(name), recorded);
  });
});

const jsonSchema = z.looseObject({
  added_tokens: z.array(z.looseObject({ id: z.int(), content: z.string() })),
  model: z.looseObject({ vocab: z.record(z.string(), z.int()) }),
});

/** The same tokenizer as its publisher would ship it with a rank file and no rule for splitting text. */
async function loadRanksOf(name: string): Promise<Tokenizer> {
  const [, json] = kitFiles(name).find(([file]) => file === "tokenizer.json") ?? [];
  const { added_tokens: added, model } = jsonSchema.parse(JSON.parse(String(json)));
  const lines = Object.entries(model.vocab).map(([text, id]) => {
    const bytes = Buffer.alloc(text.length);
    writeBytes(text, bytes, 0);
    return `${bytes.toString("base64")} ${id}`;
  });
  const decoder = Object.fromEntries(added.map(({ id, content }) => [id, { content }]));
  return await loadFiles([
    ["model.tiktoken", lines.join("\n")],
    ["tokenizer_config.json", JSON.stringify({ added_tokens_decoder: decoder })],
  ]);
}

const RANKED = ["qwen3.5", "glm-5", "tml-v0"];

describe.skipIf(!hasKitTokenizers).each(RANKED)("the ranks alone of %s", (name) => {
  it("give the ids of every recorded text", async (test) => {
    expectRecorded(test, await loadRanksOf(name), name);
  });
});
