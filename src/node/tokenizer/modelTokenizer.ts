/** Loads a model folder into the tokenizer and template that the chat layer works with. */

import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { AppError } from "../../core/errors.ts";
import { byteLevelAlphabet, createByteTable, decodeBytes } from "./byteTable.ts";
import { createTextEncoder } from "./hf.ts";
import { readModelFiles, type TokenizerJson } from "./modelFiles.ts";

/**
 * Reads tokenizer.json, tokenizer_config.json and chat_template.jinja (which wins over the template in the config).
 * A vocabulary of 150,000 tokens keeps the thread busy for about a second, once per run.
 * @throws AppError `tokenizer-not-found`, or `tokenizer-unsupported` when it is not a byte-level BPE.
 */
export async function loadModelTokenizer(folder: string): Promise<ModelTokenizer> {
  const { tokenizerJson, config, template } = await readModelFiles(folder);
  const vocabulary = Object.entries(tokenizerJson.model.vocab);
  requireBytes(folder, tokenizerJson);
  const addedTokens = tokenizerJson.added_tokens.map(({ id, content }) => ({ id, text: content }));
  const table = createByteTable({
    vocabulary,
    added: addedTokens.map(({ text, id }) => [text, id] as const),
  });
  return {
    template,
    tokenizer: {
      vocabSize: table.starts.length - 1,
      addedTokens,
      encodeText: createTextEncoder(tokenizerJson, config),
      decode: (ids) => decodeBytes(table, ids),
    },
  };
}

/** Every byte must have a token: then all text can be encoded, and no id of an unknown token is ever needed. */
function requireBytes(folder: string, { model }: TokenizerJson): void {
  const missing = [...byteLevelAlphabet().keys()].filter(
    (character) => !Object.hasOwn(model.vocab, character),
  );
  if (missing.length === 0) return;
  throw new AppError(
    "tokenizer-unsupported",
    `The tokenizer in ${folder} has no token for ${missing.length} of the 256 bytes, so it is not a byte-level BPE. Set \`tokenizer_name\` to a byte-level tokenizer.`,
    { configPath: "tokenizer_name", data: { folder, missing: missing.length } },
  );
}
