/** Where the recorded tokenizer vectors lie; they are not part of the repository. */

import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { type CompiledTemplate, compileTemplate } from "../../src/core/chat/template/jinja.ts";
import { kitFolder } from "../conformance/kits.ts";

const folder = kitFolder(
  "TINKER_RL_TOKENIZER_DATA",
  "data/tokenizers",
  "tokenizers and their golden vectors",
);

/** Whether the vectors are there. */
export function hasData(): boolean {
  return folder !== "";
}

export function readData(name: string): string {
  const bytes = readFileSync(join(folder, name));
  return (name.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
}

/** Unpacks a family's tokenizer into a folder of its own and returns that folder. */
export async function unpackTokenizer(family: string): Promise<string> {
  const target = await mkdtemp(join(tmpdir(), "tokenizer-"));
  await writeFile(join(target, "tokenizer.json"), readData(`${family}/tokenizer.json.gz`));
  const config = readData(`${family}/tokenizer_config.json`);
  await writeFile(join(target, "tokenizer_config.json"), config);
  return target;
}

/** Paths of all chat templates in the data. */
export function namesOfTemplates(): readonly string[] {
  return readdirSync(join(folder, "chat_templates")).map((name) => `chat_templates/${name}`);
}

/** A template on the day that Python rendered; one that prints the day is refused outside of these tests. */
export function compileOnFixedDay(source: string): CompiledTemplate {
  const compiled = compileTemplate(source.replaceAll("strftime_now(", "fixed_day("));
  const day = (format: string): string =>
    format.replace("%d", "02").replace("%b", "Jan").replace("%m", "01").replace("%Y", "2026");
  return (variables) => compiled({ ...variables, fixed_day: day });
}
