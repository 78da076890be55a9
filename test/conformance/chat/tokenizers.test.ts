import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { addTally } from "../tally.ts";
import { CHAT_KIT, hasKitTokenizers, KIT_TOKENIZERS, kitTokenizer } from "./kitTokenizers.ts";

const vector = z.object({
  text: z.string(),
  ids: z.array(z.int()),
  decoded: z.string().optional(),
});

/** Recorded texts by the tokenizer that they are for; versions of Kimi differ in their added tokens only. */
const RECORDED = KIT_TOKENIZERS.map(
  (name) => [name, name.replace(/^(kimi-k2).*/, "$1")] as const,
).filter(([, recorded]) => !["qwen2.5", "qwen3", "gpt-oss", "llama3.1"].includes(recorded));

describe.skipIf(!hasKitTokenizers).each(RECORDED)("the tokenizer of %s", (name, recorded) => {
  it("encodes and decodes every recorded text as the original does", async (test) => {
    const tokenizer = await kitTokenizer(name);
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
      differences: wrong.map(({ text }) => `${name}: ${JSON.stringify(text)}`),
      explained: [],
    });
    expect(vectors.length).toBeGreaterThan(400);
    expect(wrong).toEqual([]);
  });
});
