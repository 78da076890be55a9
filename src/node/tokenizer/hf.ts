/** The one place that knows the tokenizer package: text to ids, with no token added and none recognised in the text. */

import { PreTrainedTokenizer } from "@huggingface/transformers";
import type { TokenizerConfig, TokenizerJson } from "./modelFiles.ts";

/**
 * An encoder of ordinary text: a second reading of the files in which the added tokens do not exist, neither as
 * such nor as entries of the vocabulary.
 */
export function createTextEncoder(
  tokenizerJson: TokenizerJson,
  config: TokenizerConfig,
): (text: string) => readonly number[] {
  const addedIds = new Set(tokenizerJson.added_tokens.map((token) => token.id));
  const { vocab } = tokenizerJson.model;
  const entries = Object.entries(vocab);
  const ordinary = entries.filter(([, id]) => !addedIds.has(id));
  const tokenizer = new PreTrainedTokenizer(
    {
      ...tokenizerJson,
      added_tokens: [],
      post_processor: null,
      model: {
        ...tokenizerJson.model,
        vocab: ordinary.length === entries.length ? vocab : Object.fromEntries(ordinary),
      },
    },
    config,
  );
  return (text) => (text === "" ? [] : tokenizer.encode(text, { add_special_tokens: false }));
}
