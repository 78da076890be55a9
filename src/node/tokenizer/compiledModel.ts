/** A model folder in the form that the tokenizer works with: little but typed arrays, which pass between threads at once. */

import type { AddedToken, ChatTemplate } from "../../core/chat/tokenizer.ts";
import { BYTE_LEVEL_ALPHABET, isByteLevel } from "./byteLevel.ts";
import { type ByteTable, createByteTable } from "./byteTable.ts";
import { createMergeTable, MAX_MERGES, type Merge, type MergeTable } from "./mergeTable.ts";
import {
  type ModelFiles,
  readModelFiles,
  type SplittingRules,
  type TokenizerJson,
  unsupported,
} from "./modelFiles.ts";
import { createWholeTokens, type WholeTokens } from "./wholeTokens.ts";

export interface CompiledTokenizer {
  readonly table: ByteTable;
  /** The ordinary token of each of the 256 bytes. */
  readonly byteIds: Int32Array<ArrayBuffer>;
  readonly merges: MergeTable;
  /** All ordinary tokens, when pieces that are one of them are not merged; else null. */
  readonly wholeTokens: WholeTokens | null;
  readonly addedTokens: readonly AddedToken[];
  readonly splitting: SplittingRules;
}

export interface CompiledModel {
  readonly tokenizer: CompiledTokenizer;
  readonly template: ChatTemplate | null;
  readonly digests: ModelFiles["digests"];
}

/** Ids of ordinary tokens. As far as ordinary text is concerned, added tokens in the vocabulary do not exist. */
interface Vocabulary {
  readonly textOf: readonly (string | undefined)[];
  idOf(text: string): number | null;
}

/** No vocabulary has as many: a larger id is a damaged file, and a table up to it would not fit into memory. */
const MAX_ID = 2 ** 24;

/**
 * Reads tokenizer.json, tokenizer_config.json and chat_template.jinja (which wins over the template in the config). Keeps the
 * thread busy for about half a second when there are 150,000 tokens.
 * @throws AppError `tokenizer-not-found`, or `tokenizer-unsupported` when it is not a byte-level BPE.
 */
export async function compileModel(folder: string): Promise<CompiledModel> {
  const { tokenizerJson, template, digests } = await readModelFiles(folder);
  return { tokenizer: compileTokenizer(folder, tokenizerJson), template, digests };
}

/** What need not be copied when the model goes to another thread. */
export function transferables({ tokenizer }: CompiledModel): readonly ArrayBuffer[] {
  const { table, byteIds, merges, wholeTokens } = tokenizer;
  const arrays = [table.bytes, table.starts, byteIds, merges, wholeTokens];
  return arrays.flatMap((array) => (array === null ? [] : [array.buffer]));
}

function compileTokenizer(folder: string, json: TokenizerJson): CompiledTokenizer {
  const { model, normalizer, pre_tokenizer } = json;
  const addedTokens = json.added_tokens.map(({ id, content }) => ({ id, text: content }));
  const vocabulary = readVocabulary(folder, json);
  const table = createByteTable({ ordinary: vocabulary.textOf, added: addedTokens });
  return {
    table,
    byteIds: byteIds(folder, vocabulary),
    merges: createMergeTable(readMerges(folder, model.merges, vocabulary)),
    wholeTokens: model.ignore_merges ? createWholeTokens(table, byteLevelIds(vocabulary)) : null,
    addedTokens,
    splitting: { normalizer, pre_tokenizer },
  };
}

function readVocabulary(folder: string, { model, added_tokens }: TokenizerJson): Vocabulary {
  const { vocab } = model;
  const added = new Set(added_tokens.map(({ id }) => id));
  const textOf: (string | undefined)[] = [];
  for (const text of Object.keys(vocab)) {
    const id = vocab[text];
    if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > MAX_ID) {
      throw unsupported(folder, "tokenizer.json", `the token ${JSON.stringify(text)} has no id`);
    }
    if (!added.has(id)) textOf[id] = text;
  }
  return {
    textOf,
    idOf(text) {
      const id = vocab[text];
      return typeof id === "number" && textOf[id] === text ? id : null;
    },
  };
}

/** Every byte must have a token: then all text can be encoded, and no id of an unknown token is ever needed. */
function byteIds(folder: string, { idOf }: Vocabulary): Int32Array<ArrayBuffer> {
  const ids = BYTE_LEVEL_ALPHABET.flatMap((character) => idOf(character) ?? []);
  const missing = BYTE_LEVEL_ALPHABET.length - ids.length;
  if (missing === 0) return Int32Array.from(ids);
  throw unsupported(
    folder,
    "tokenizer.json",
    `it has no token for ${missing} of the 256 bytes, so it is not a byte-level BPE`,
  );
}

/** Merges that would yield an added token are left out, so that no text can become one. */
function readMerges(
  folder: string,
  pairs: readonly unknown[],
  { idOf }: Vocabulary,
): readonly Merge[] {
  if (pairs.length > MAX_MERGES) {
    throw unsupported(folder, "tokenizer.json", `it has more than ${MAX_MERGES} merges`);
  }
  const merges: Merge[] = [];
  for (const [rank, pair] of pairs.entries()) {
    const [first, second] = typeof pair === "string" ? pair.split(" ", 2) : asPair(pair);
    if (first === undefined || second === undefined) {
      throw unsupported(folder, "tokenizer.json", `merge ${rank} is not a pair of tokens`);
    }
    const left = idOf(first);
    const right = idOf(second);
    const merged = idOf(first + second);
    if (left !== null && right !== null && merged !== null) {
      merges.push({ left, right, merged, rank });
    }
  }
  return merges;
}

function asPair(pair: unknown): readonly (string | undefined)[] {
  return Array.isArray(pair) && pair.every((part) => typeof part === "string") ? pair : [];
}

function byteLevelIds({ textOf }: Vocabulary): readonly number[] {
  return textOf.flatMap((text, id) => (text === undefined || !isByteLevel(text) ? [] : [id]));
}
