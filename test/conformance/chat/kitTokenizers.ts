/** The tokenizers of the chat kit and of the recorded data by name, neither of which is part of the repository. */

import { existsSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import * as z from "zod";
import type { Tokenizer } from "../../../src/core/chat/tokenizer.ts";
import { hasData, loadFiles, type NamedFiles, readData } from "../../crossChecks/tokenizerData.ts";
import { kitFolder } from "../kits.ts";

/** Empty = not available. */
export const CHAT_KIT = kitFolder(
  "TINKER_RL_CHAT_KIT",
  "conformance/chat",
  "golden prompts, bridges and parses of chat formats",
);

/** True if `kitTokenizer` can load anything. */
export const hasKitTokenizers = CHAT_KIT !== "" && hasData();

/** All names that `kitTokenizer` knows. */
export const KIT_TOKENIZERS = [
  ...["qwen2.5", "qwen3", "qwen3.5", "nemotron3", "gpt-oss", "llama3.1", "glm-5", "tml-v0"],
  ...["deepseek-v3.1", "deepseek-v4", "deepseek-v4.1"],
  ...["kimi-k2-base", "kimi-k2-instruct", "kimi-k2-thinking", "kimi-k2.5", "kimi-k2.6"],
];

const KIMI = "kimi-";
const token = z.looseObject({ id: z.int(), content: z.string() });
const overlaySchema = z.object({
  base: z.string(),
  replace_added_tokens: z.array(token),
  remove_added_tokens: z.array(z.int()),
});
const tokenizerSchema = z.looseObject({
  added_tokens: z.array(token),
  model: z.looseObject({ vocab: z.record(z.string(), z.int()) }),
});
const kimiSchema = z.object({
  special_tokens: z.record(z.string(), z.record(z.string(), z.string())),
});

const loaded = new Map<string, Promise<Tokenizer>>();

/** Loads a tokenizer once per process, in a second or less. `name` is the `tokenizer` of a profile in the kit's vectors. */
export function kitTokenizer(name: string): Promise<Tokenizer> {
  const tokenizer = loaded.get(name) ?? loadFiles(kitFiles(name));
  loaded.set(name, tokenizer);
  return tokenizer;
}

/** Writes the files of the tokenizer into a folder. */
export async function unpackKitTokenizer(name: string, folder: string): Promise<void> {
  for (const [file, content] of kitFiles(name)) await writeFile(join(folder, file), content);
}

/** A recorded chat template by file name. */
export function kitTemplate(name: string): string {
  return readData(`chat_templates/${name}.jinja`);
}

/** The files of the tokenizer, as in the model's own folder on the hub. */
export function kitFiles(name: string): NamedFiles {
  if (!KIT_TOKENIZERS.includes(name)) throw new Error(`The kit has no tokenizer ${name}.`);
  if (name.startsWith(KIMI)) return kimiFiles(name.slice(KIMI.length));
  const ofKit = join(CHAT_KIT, "tokenizers", name);
  const overlay = join(ofKit, "overlay.json");
  if (existsSync(overlay)) return jsonFiles(withOverlay(readFileSync(overlay, "utf8")));
  const file = "tokenizer.json.gz";
  return jsonFiles(existsSync(ofKit) ? unzip(join(ofKit, file)) : readData(`${name}/${file}`));
}

function jsonFiles(tokenizerJson: string | Buffer) {
  return [
    ["tokenizer.json", tokenizerJson],
    ["tokenizer_config.json", "{}"],
  ] as const;
}

/** Replaces added tokens of another tokenizer, as described in the kit's README. */
function withOverlay(text: string): string {
  const overlay = overlaySchema.parse(JSON.parse(text));
  const { base, replace_added_tokens: replaced, remove_added_tokens: removed } = overlay;
  const json = tokenizerSchema.parse(JSON.parse(readData(`${base}/tokenizer.json.gz`)));
  const gone = new Set([...removed, ...replaced.map(({ id }) => id)]);
  const { vocab } = json.model;
  for (const { id, content } of json.added_tokens) {
    if (gone.has(id) && vocab[content] === id) delete vocab[content];
  }
  const kept = json.added_tokens.filter(({ id }) => !gone.has(id));
  return JSON.stringify({ ...json, added_tokens: [...kept, ...replaced] });
}

/** The rank file, and the names of one version's added tokens. */
function kimiFiles(version: string) {
  const folder = join(CHAT_KIT, "tokenizers/kimi-k2");
  const config = kimiSchema.parse(JSON.parse(readFileSync(join(folder, "config.json"), "utf8")));
  const names = config.special_tokens[version] ?? {};
  const decoder = Object.fromEntries(
    Object.entries(names).map(([id, content]) => [id, { content, special: true }]),
  );
  return [
    ["tiktoken.model", unzip(join(folder, "tiktoken.model.gz"))],
    ["tokenizer_config.json", JSON.stringify({ added_tokens_decoder: decoder })],
  ] as const;
}

function unzip(path: string): Buffer {
  return gunzipSync(readFileSync(path));
}
