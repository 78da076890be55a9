/** Recorded tokenizers and their vectors, which are not part of the repository. */

import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type CompiledTemplate, compileTemplate } from "../../src/core/chat/template/jinja.ts";
import type { Tokenizer } from "../../src/core/chat/tokenizer.ts";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { kitFolder } from "../conformance/kits.ts";

const folder = kitFolder(
  "TINKER_RL_TOKENIZER_DATA",
  "data/tokenizers",
  "tokenizers and their golden vectors",
);

/** True if the vectors are available. */
export function hasData(): boolean {
  return folder !== "";
}

export function readData(name: string): string {
  const bytes = readFileSync(join(folder, name));
  return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** A family's tokenizer. */
export function recordedTokenizer(family: string): Promise<Tokenizer> {
  return loadFiles([
    ["tokenizer.json", readData(`${family}/tokenizer.json.gz`)],
    ["tokenizer_config.json", readData(`${family}/tokenizer_config.json`)],
  ]);
}

/** A folder's files by name. */
export type NamedFiles = readonly (readonly [name: string, content: string | Buffer])[];

/** The tokenizer of a folder with these files. */
export async function loadFiles(files: NamedFiles): Promise<Tokenizer> {
  const folder = await mkdtemp(join(tmpdir(), "tokenizer-"));
  try {
    for (const [name, content] of files) await writeFile(join(folder, name), content);
    return (await loadModelTokenizer(folder)).tokenizer;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Paths of all chat templates in the data. */
export function namesOfTemplates(): readonly string[] {
  return readdirSync(join(folder, "chat_templates")).map((name) => `chat_templates/${name}`);
}

/** A template on the date that Python rendered it; outside these tests a template that prints the date is rejected. */
export function compileOnFixedDay(source: string): CompiledTemplate {
  const compiled = compileTemplate(source.replaceAll("strftime_now(", "fixed_day("));
  const day = (format: string): string =>
    format.replace("%d", "02").replace("%b", "Jan").replace("%m", "01").replace("%Y", "2026");
  return (variables) => compiled({ ...variables, fixed_day: day });
}
