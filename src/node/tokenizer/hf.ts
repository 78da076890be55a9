/** The only module that uses the tokenizer package, which normalizes text and splits it into the pieces to merge. */

import { PreTrainedTokenizer } from "@huggingface/transformers";
import * as z from "zod";
import { isByteLevel, writeBytes } from "./byteLevel.ts";
import type { SplittingRules } from "./modelFiles.ts";

export interface TextSplitter {
  /** Splits text into pieces; pieces with different bytes are different strings. Recognizes and adds no tokens. */
  split(text: string): readonly string[];
  bytesOf(piece: string): Uint8Array;
}

const step = z.looseObject({ type: z.string() });
const sequence = z.looseObject({ type: z.literal("Sequence"), pretokenizers: z.array(step) });
const byteLevel = z.looseObject({
  type: z.literal("ByteLevel"),
  add_prefix_space: z.boolean().default(false),
  use_regex: z.boolean().default(true),
});

/** @throws Error if the package does not support the rules, or they do not split text into bytes */
export function createTextSplitter({ normalizer, pre_tokenizer }: SplittingRules): TextSplitter {
  const whole = sequence.safeParse(pre_tokenizer).data;
  const steps = whole?.pretokenizers ?? step.array().parse([pre_tokenizer]);
  if (!steps.some(({ type }) => type === "ByteLevel")) {
    throw new Error("its text is not split into bytes (pre_tokenizer has no ByteLevel)");
  }
  const last = byteLevel.safeParse(steps.at(-1)).data;
  // Skips a last step that only maps bytes to the alphabet, as most tokenizers have, because it takes two thirds of the time.
  const isSpelling = last !== undefined && !last.add_prefix_space && !last.use_regex;
  const pretokenizers = isSpelling ? steps.slice(0, -1) : steps;
  const split = packageSplit(normalizer, { type: "Sequence", pretokenizers });
  const encoder = new TextEncoder();
  return {
    split,
    bytesOf: (piece) =>
      !isSpelling && isByteLevel(piece) ? bytesOfSpelling(piece) : encoder.encode(piece),
  };
}

function bytesOfSpelling(piece: string): Uint8Array {
  const bytes = new Uint8Array(piece.length);
  writeBytes(piece, bytes, 0);
  return bytes;
}

/** Runs the package's own steps, using a tokenizer without any tokens. */
function packageSplit(
  normalizer: unknown,
  preTokenizer: unknown,
): (text: string) => readonly string[] {
  const rules = { normalizer: normalizer ?? null, pre_tokenizer: preTokenizer };
  const tokens = { added_tokens: [], model: { type: "BPE", vocab: {}, merges: [] } };
  const shell = new PreTrainedTokenizer(
    { ...rules, ...tokens, post_processor: null, decoder: null },
    {},
  );
  const steps = shell._tokenizer;
  return (text) => {
    const normal = steps.normalizer?.normalize(text) ?? text;
    return steps.pre_tokenizer?.pre_tokenize(normal) ?? [normal];
  };
}
