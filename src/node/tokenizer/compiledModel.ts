/** A model folder compiled for the tokenizer: mostly typed arrays, which transfer between threads without copying. */

import type { AddedToken, ChatTemplate } from "../../core/chat/tokenizer.ts";
import { errorMessage } from "../../core/errors.ts";
import { BYTE_LEVEL_ALPHABET, isByteLevel } from "./byteLevel.ts";
import { type ByteTable, createByteTable } from "./byteTable.ts";
import { createMergeTable, type Merge, type MergeTable } from "./mergeTable.ts";
import {
  type ModelFiles,
  type RankFile,
  readModelFiles,
  type SplittingRules,
  type TokenizerJson,
  unsupported,
  type VocabularyFile,
} from "./modelFiles.ts";
import { mergesOfRanks, parseRankFile } from "./rankFile.ts";
import { splittingOfRanks } from "./rankPatterns.ts";
import { MAX_ID, type Vocabulary } from "./vocabulary.ts";
import { createWholeTokens, type WholeTokens } from "./wholeTokens.ts";

export interface CompiledTokenizer {
  readonly table: ByteTable;
  /** Token id of each of the 256 bytes. */
  readonly byteIds: Int32Array<ArrayBuffer>;
  readonly merges: MergeTable;
  /** All ordinary tokens, if the tokenizer looks up whole pieces before merging; otherwise null. */
  readonly wholeTokens: WholeTokens | null;
  readonly addedTokens: readonly AddedToken[];
  readonly splitting: SplittingRules;
}

export interface CompiledModel {
  readonly tokenizer: CompiledTokenizer;
  readonly template: ChatTemplate | null;
  readonly digests: ModelFiles["digests"];
}

/** Tokenizer data, independent of the file format. */
interface TokenizerSource {
  readonly vocabulary: Vocabulary;
  readonly merges: readonly Merge[];
  /** Whether a piece that is a token itself is not merged. */
  readonly looksUpPieces: boolean;
  readonly addedTokens: readonly AddedToken[];
  readonly splitting: SplittingRules;
}

/**
 * Reads tokenizer.json or a rank file, tokenizer_config.json and chat_template.jinja (which overrides the template in the config). Blocks
 * the thread for about half a second for 150,000 tokens.
 * @throws AppError `tokenizer-not-found`, or `tokenizer-unsupported` if it is not a byte-level BPE
 */
export async function compileModel(folder: string): Promise<CompiledModel> {
  const { vocabulary, template, digests } = await readModelFiles(folder);
  return { tokenizer: compileVocabulary(folder, vocabulary), template, digests };
}

/** Buffers that can be moved to another thread without copying. */
export function transferables({ tokenizer }: CompiledModel): readonly ArrayBuffer[] {
  const { table, byteIds, merges, wholeTokens } = tokenizer;
  const arrays = [table.bytes, table.starts, byteIds, merges, wholeTokens];
  return arrays.flatMap((array) => (array === null ? [] : [array.buffer]));
}

function compileVocabulary(folder: string, file: VocabularyFile): CompiledTokenizer {
  try {
    return compileSource(file.kind === "ranks" ? readRanks(file.ranks) : readJson(file.json));
  } catch (error) {
    throw unsupported(folder, file.name, errorMessage(error), error);
  }
}

function compileSource(source: TokenizerSource): CompiledTokenizer {
  const { vocabulary, merges, looksUpPieces, addedTokens, splitting } = source;
  const table = createByteTable({ ordinary: vocabulary.textOf, added: addedTokens });
  return {
    table,
    byteIds: byteIds(vocabulary),
    merges: createMergeTable(merges),
    wholeTokens: looksUpPieces ? createWholeTokens(table, byteLevelIds(vocabulary)) : null,
    addedTokens,
    splitting,
  };
}

function readRanks({ content, addedTokens, pattern }: RankFile): TokenizerSource {
  const vocabulary = parseRankFile(content);
  const taken = addedTokens.find(({ id }) => vocabulary.textOf[id] !== undefined || id > MAX_ID);
  if (taken !== undefined) {
    throw new Error(
      `the id ${taken.id} of ${taken.text} is the rank of an ordinary token, or too large`,
    );
  }
  const ranks = Object.keys(vocabulary.textOf).length;
  return {
    vocabulary,
    merges: mergesOfRanks(vocabulary),
    looksUpPieces: true,
    addedTokens,
    splitting: splittingOfRanks(ranks, pattern),
  };
}

function readJson(json: TokenizerJson): TokenizerSource {
  const { model, normalizer, pre_tokenizer } = json;
  const vocabulary = readVocabulary(json);
  return {
    vocabulary,
    merges: readMerges(model.merges, vocabulary),
    looksUpPieces: model.ignore_merges === true,
    addedTokens: json.added_tokens.map(({ id, content }) => ({ id, text: content })),
    splitting: { normalizer, pre_tokenizer },
  };
}

function readVocabulary({ model, added_tokens }: TokenizerJson): Vocabulary {
  const { vocab } = model;
  const added = new Set(added_tokens.map(({ id }) => id));
  const textOf: (string | undefined)[] = [];
  for (const text of Object.keys(vocab)) {
    const id = vocab[text];
    if (typeof id !== "number" || !Number.isInteger(id) || id < 0 || id > MAX_ID) {
      throw new Error(`the token ${JSON.stringify(text)} has no id`);
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

/** Requires a token for every byte, so that all text can be encoded and no unknown-token id is needed. */
function byteIds({ idOf }: Vocabulary): Int32Array<ArrayBuffer> {
  const ids = BYTE_LEVEL_ALPHABET.flatMap((character) => idOf(character) ?? []);
  const missing = BYTE_LEVEL_ALPHABET.length - ids.length;
  if (missing === 0) return Int32Array.from(ids);
  throw new Error(`it has no token for ${missing} of the 256 bytes, so it is not a byte-level BPE`);
}

/** Skips merges that would produce an added token, so that no text can encode to one. */
function readMerges(pairs: readonly unknown[], { idOf }: Vocabulary): readonly Merge[] {
  const merges: Merge[] = [];
  for (const [rank, pair] of pairs.entries()) {
    const [first, second] = typeof pair === "string" ? pair.split(" ", 2) : asPair(pair);
    if (first === undefined || second === undefined) {
      throw new Error(`merge ${rank} is not a pair of tokens`);
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
