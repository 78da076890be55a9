/** Reads and checks the files of a model folder that the chat layer needs. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import type { ChatTemplate } from "../../core/chat/tokenizer.ts";
import { AppError } from "../../core/errors.ts";

const tokenizerJsonSchema = z.looseObject({
  added_tokens: z
    .array(z.looseObject({ id: z.int().nonnegative(), content: z.string() }))
    .default([]),
  model: z.looseObject({
    type: z.literal("BPE"),
    vocab: z.record(z.string(), z.int().nonnegative()),
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
export type TokenizerConfig = z.output<typeof configSchema>;

export interface ModelFiles {
  readonly tokenizerJson: TokenizerJson;
  readonly config: TokenizerConfig;
  readonly template: ChatTemplate | null;
}

/** @throws AppError `tokenizer-not-found` when a file is missing, `tokenizer-unsupported` when it cannot be used. */
export async function readModelFiles(folder: string): Promise<ModelFiles> {
  const [tokenizerText, configText, templateText] = await Promise.all([
    readIfThere(join(folder, "tokenizer.json")),
    readIfThere(join(folder, "tokenizer_config.json")),
    readIfThere(join(folder, "chat_template.jinja")),
  ]);
  const tokenizerJson = parseFile(folder, "tokenizer.json", tokenizerText, tokenizerJsonSchema);
  const config = parseFile(folder, "tokenizer_config.json", configText, configSchema);
  const source = templateText ?? namedTemplate(config);
  const template =
    source === null
      ? null
      : { source, bosToken: config.bos_token ?? "", eosToken: config.eos_token ?? "" };
  return { tokenizerJson, config, template };
}

/** Folders may hold several templates; the one for chats with and without tools is called `default`. */
function namedTemplate({ chat_template: templates }: TokenizerConfig): string | null {
  if (!Array.isArray(templates)) return templates ?? null;
  return templates.find(({ name }) => name === "default")?.template ?? null;
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return null;
    throw error;
  }
}

function parseFile<Output>(
  folder: string,
  name: string,
  text: string | null,
  schema: z.ZodType<Output>,
): Output {
  if (text === null) {
    throw new AppError(
      "tokenizer-not-found",
      `The tokenizer folder ${folder} has no ${name}. Set \`tokenizer_name\` to a folder or model that holds tokenizer.json and tokenizer_config.json.`,
      { configPath: "tokenizer_name", data: { folder, name } },
    );
  }
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    const reason = cause instanceof z.ZodError ? z.prettifyError(cause) : String(cause);
    throw new AppError(
      "tokenizer-unsupported",
      `${name} in ${folder} cannot be used: ${reason}. Byte-level BPE tokenizers are supported; set \`tokenizer_name\` to one, or download the folder again if the file is damaged.`,
      { cause, configPath: "tokenizer_name", data: { folder, name } },
    );
  }
}
