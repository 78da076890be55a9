/** Reads and validates the files of a model folder that the chat layer needs. */

import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import * as z from "zod";
import type { AddedToken, ChatTemplate } from "../../core/chat/tokenizer.ts";
import { AppError, errorMessage, isAppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";
import { errorCode } from "../errorCode.ts";
import { readPlainFile } from "../fileSystem.ts";
import { sha256 } from "../hash.ts";
import { TOKENIZER_JSON, VOCABULARY_NAMES, vocabularyFileOf } from "./vocabularyFile.ts";

/** Vocabulary and merges are validated while being read: schemas would take longer than everything else. */
const tokenizerJsonSchema = z.looseObject({
  added_tokens: z
    .array(z.looseObject({ id: z.int().nonnegative(), content: z.string() }))
    .default([]),
  normalizer: z.unknown(),
  pre_tokenizer: z.unknown(),
  model: z.looseObject({
    type: z.literal("BPE"),
    vocab: z.custom<Readonly<Record<string, unknown>>>(isJsonObject, "expected an object"),
    merges: z.custom<readonly unknown[]>(Array.isArray, "expected an array"),
    ignore_merges: z.boolean().nullish(),
    // Vocabularies that mark word boundaries are unsupported, because their merges do not depend on bytes alone.
    continuing_subword_prefix: z.literal("").nullish(),
    end_of_word_suffix: z.literal("").nullish(),
  }),
});

const tokenText = z.union([
  z.string(),
  z.looseObject({ content: z.string() }).transform(({ content }) => content),
]);

const configSchema = z.looseObject({
  /** Added tokens by id. */
  added_tokens_decoder: z
    .record(z.string().regex(/^\d{1,8}$/), z.looseObject({ content: z.string() }))
    .default({}),
  /** The pattern that splits text before merging, if a rank file's folder specifies it. */
  pat_str: z.string().nullish(),
  bos_token: tokenText.nullish(),
  eos_token: tokenText.nullish(),
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .nullish(),
});

const CONFIG = "tokenizer_config.json";

const MIB = 1024 * 1024;
/** The largest published vocabulary is 33 MiB, and the largest configuration with its added tokens 1 MiB. */
const MAX_BYTES = { vocabulary: 128 * MIB, config: 16 * MIB, template: 4 * MIB };

export type TokenizerJson = z.output<typeof tokenizerJsonSchema>;
type TokenizerConfig = z.output<typeof configSchema>;

/** How text is split into the pieces to merge, in the tokenizer package's format. */
export type SplittingRules = Pick<TokenizerJson, "normalizer" | "pre_tokenizer">;

/** A rank file, and what its configuration says about it. */
export interface RankFile {
  readonly content: Buffer;
  readonly addedTokens: readonly AddedToken[];
  /** Null if only the model's own code specifies it. */
  readonly pattern: string | null;
}

export type VocabularyFile = { readonly name: string } & (
  | { readonly kind: "json"; readonly json: TokenizerJson }
  | { readonly kind: "ranks"; readonly ranks: RankFile }
);

export interface ModelFiles {
  readonly vocabulary: VocabularyFile;
  readonly template: ChatTemplate | null;
  /** SHA-256 of everything that determines the ids, to determine whether two runs use the same. */
  readonly digests: { readonly tokenizer: string; readonly template: string | null };
}

/** @throws AppError `tokenizer-not-found` when a file is missing, `tokenizer-unsupported` when it cannot be used. */
export async function readModelFiles(folder: string): Promise<ModelFiles> {
  const name = vocabularyFileOf(await namesIn(folder));
  const [bytes, configBytes, templateBytes] = await Promise.all([
    name === null ? null : readIfThere(join(folder, name), MAX_BYTES.vocabulary),
    readIfThere(join(folder, CONFIG), MAX_BYTES.config),
    readIfThere(join(folder, "chat_template.jinja"), MAX_BYTES.template),
  ]);
  if (name === null || bytes === null) throw missing(folder, VOCABULARY_NAMES);
  if (configBytes === null) throw missing(folder, CONFIG);
  const config = parseFile(folder, CONFIG, configBytes, configSchema);
  const vocabulary: VocabularyFile =
    name === TOKENIZER_JSON
      ? { name, kind: "json", json: parseFile(folder, name, bytes, tokenizerJsonSchema) }
      : { name, kind: "ranks", ranks: rankFile(bytes, config) };
  const source = templateBytes?.toString("utf8") ?? namedTemplate(config);
  const template =
    source === null
      ? null
      : { source, bosToken: config.bos_token ?? "", eosToken: config.eos_token ?? "" };
  const digests = { tokenizer: sha256(bytes), template: source === null ? null : sha256(source) };
  return { vocabulary, template, digests };
}

function rankFile(content: Buffer, config: TokenizerConfig): RankFile {
  const addedTokens = Object.entries(config.added_tokens_decoder).map(([id, token]) => ({
    id: Number(id),
    text: token.content,
  }));
  return { content, addedTokens, pattern: config.pat_str ?? null };
}

/** A folder may contain several templates: `default`, and `tool_use` in case `default` does not support tools. */
function namedTemplate({ chat_template: templates }: TokenizerConfig): string | null {
  if (!Array.isArray(templates)) return templates ?? null;
  const named = (wanted: string) => templates.find(({ name }) => name === wanted)?.template ?? null;
  const usual = named("default");
  return usual?.includes("tools") ? usual : (named("tool_use") ?? usual);
}

/** Sorted; empty if the folder does not exist. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/**
 * Follows links, because other programs' caches contain links. @throws AppError `tokenizer-unsupported` if it is not a regular file or too
 * large
 */
async function readIfThere(path: string, maxBytes: number): Promise<Buffer | null> {
  try {
    return Buffer.from(await readPlainFile(path, maxBytes));
  } catch (error) {
    if (isAppError(error, "file-not-found")) return null;
    throw unsupported(dirname(path), basename(path), errorMessage(error).replace(/\.$/, ""), error);
  }
}

function missing(folder: string, name: string): AppError {
  return new AppError(
    "tokenizer-not-found",
    `The tokenizer folder ${folder} has no ${name}. Set \`tokenizer_name\` to a folder or model that holds ${VOCABULARY_NAMES}, and tokenizer_config.json.`,
    { configPath: "tokenizer_name", data: { folder, name } },
  );
}

function parseFile<Output>(
  folder: string,
  name: string,
  bytes: Buffer,
  schema: z.ZodType<Output>,
): Output {
  try {
    return schema.parse(JSON.parse(bytes.toString("utf8")));
  } catch (cause) {
    if (cause instanceof z.ZodError) {
      throw unsupported(folder, name, z.prettifyError(cause), cause);
    }
    // The parser's message would quote the file, which may be a link to any other file.
    throw unsupported(folder, name, "it is not valid JSON");
  }
}

/** `reason` completes the sentence "cannot be used: …". */
export function unsupported(
  folder: string,
  name: string,
  reason: string,
  cause?: unknown,
): AppError {
  return new AppError(
    "tokenizer-unsupported",
    `${name} in ${folder} cannot be used: ${reason}. Byte-level BPE tokenizers are supported; set \`tokenizer_name\` to one, or download the folder again if the file is damaged.`,
    { cause, configPath: "tokenizer_name", data: { folder, name } },
  );
}
