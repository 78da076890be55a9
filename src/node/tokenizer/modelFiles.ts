/** Reads and checks the files of a model folder that the chat layer needs. */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { ChatTemplate } from "../../core/chat/tokenizer.ts";
import { AppError } from "../../core/errors.ts";
import { isJsonObject } from "../../core/json.ts";

/** Vocabulary and merges are checked as they are read: schemas would take longer than all the rest. */
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
    // Models of other kinds mark the ends of words; then what merges does not follow from bytes alone.
    continuing_subword_prefix: z.literal("").nullish(),
    end_of_word_suffix: z.literal("").nullish(),
  }),
});

const tokenText = z.union([
  z.string(),
  z.looseObject({ content: z.string() }).transform(({ content }) => content),
]);

const configSchema = z.looseObject({
  bos_token: tokenText.nullish(),
  eos_token: tokenText.nullish(),
  chat_template: z
    .union([z.string(), z.array(z.looseObject({ name: z.string(), template: z.string() }))])
    .nullish(),
});

export type TokenizerJson = z.output<typeof tokenizerJsonSchema>;
type TokenizerConfig = z.output<typeof configSchema>;

/** How text is cut into the pieces that are merged, as the tokenizer package reads it. */
export type SplittingRules = Pick<TokenizerJson, "normalizer" | "pre_tokenizer">;

export interface ModelFiles {
  readonly tokenizerJson: TokenizerJson;
  readonly template: ChatTemplate | null;
  /** SHA-256 of what decides on the ids, to know whether two runs have the same. */
  readonly digests: { readonly tokenizer: string; readonly template: string | null };
}

/** @throws AppError `tokenizer-not-found` when a file is missing, `tokenizer-unsupported` when it cannot be used. */
export async function readModelFiles(folder: string): Promise<ModelFiles> {
  const [tokenizerBytes, configBytes, templateBytes] = await Promise.all([
    readIfThere(join(folder, "tokenizer.json")),
    readIfThere(join(folder, "tokenizer_config.json")),
    readIfThere(join(folder, "chat_template.jinja")),
  ]);
  const tokenizerJson = parseFile(folder, "tokenizer.json", tokenizerBytes, tokenizerJsonSchema);
  const config = parseFile(folder, "tokenizer_config.json", configBytes, configSchema);
  const source = templateBytes?.toString("utf8") ?? namedTemplate(config);
  const template =
    source === null
      ? null
      : { source, bosToken: config.bos_token ?? "", eosToken: config.eos_token ?? "" };
  const digests = {
    tokenizer: sha256(tokenizerBytes ?? ""),
    template: source === null ? null : sha256(source),
  };
  return { tokenizerJson, template, digests };
}

/** Folders may hold several templates; the one for chats with and without tools is called `default`. */
function namedTemplate({ chat_template: templates }: TokenizerConfig): string | null {
  if (!Array.isArray(templates)) return templates ?? null;
  return templates.find(({ name }) => name === "default")?.template ?? null;
}

function sha256(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function parseFile<Output>(
  folder: string,
  name: string,
  bytes: Buffer | null,
  schema: z.ZodType<Output>,
): Output {
  if (bytes === null) {
    throw new AppError(
      "tokenizer-not-found",
      `The tokenizer folder ${folder} has no ${name}. Set \`tokenizer_name\` to a folder or model that holds tokenizer.json and tokenizer_config.json.`,
      { configPath: "tokenizer_name", data: { folder, name } },
    );
  }
  try {
    return schema.parse(JSON.parse(bytes.toString("utf8")));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw unsupported(folder, name, reason, cause);
  }
}

/** `reason` completes "cannot be used: …". */
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
