/**
 * Measures a tokenizer: how long it takes until it can be used, how long the event loop waits meanwhile, memory, and the
 * encoding of long texts. Run: `npm run bench:tokenizer`, by default for Qwen3; `npm run bench:tokenizer -- FOLDER` for the
 * tokenizer in a folder. Wall times grow when other work takes the processor.
 */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createRenderer } from "../src/core/chat/setup/createRenderer.ts";
import type { ModelTokenizer } from "../src/core/chat/tokenizer.ts";
import { createUniform, integerBetween } from "../src/local/random.ts";
import { compileInThread } from "../src/node/tokenizer/compileInThread.ts";
import { createModelTokenizer, loadModelTokenizer } from "../src/node/tokenizer/modelTokenizer.ts";
import { MODEL, TOKENIZER_FOLDER } from "./benchModel.ts";
import { print, rate, residentMegabytes } from "./measure.ts";
import { observe } from "./observe.ts";

const WORKER = resolve("dist/trainer/tokenizerWorker.js");
const CHARACTERS = 100_000;
const CHAT = { chat_format: "auto", model_name: MODEL } as const;
const THINKING = { enabled: true, effort: null, retention: "all" } as const;

async function measureLoad(
  name: string,
  load: () => Promise<ModelTokenizer>,
): Promise<ModelTokenizer> {
  const { result, wallS, cpuS, measurements } = await observe(name, load);
  print({ name: `${name}: time until it can be used`, value: wallS * 1000, unit: "ms" });
  print({ name: `${name}: processor time`, value: cpuS * 1000, unit: "ms" });
  for (const measurement of measurements) print(measurement);
  return result;
}

/** Ordinary text, and texts that are slow for tokenizers with a quadratic merge. */
async function texts(): Promise<Readonly<Record<string, string>>> {
  const uniform = createUniform(1);
  const random = (first: number, last: number): string =>
    Array.from({ length: CHARACTERS }, () =>
      String.fromCodePoint(integerBetween(uniform, first, last)),
    ).join("");
  const prose = await readFile("README.md", "utf8");
  const code = await readFile("dist/trainer/tokenizerWorker.js", "utf8");
  const filled = (text: string): string =>
    text.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS);
  return {
    prose: filled(prose),
    code: filled(code),
    "one letter": filled("a"),
    blanks: filled(" "),
    "line ends": filled("\n"),
    digits: filled("1"),
    "random letters": random(0x61, 0x7a),
    "random Han": random(0x4e00, 0x9fff),
    "random characters": random(0x20, 0x1_ff_ff),
  };
}

function measureEncoding(name: string, text: string, { tokenizer }: ModelTokenizer): void {
  const startedMs = performance.now();
  const { length } = tokenizer.encodeText(text);
  const ms = performance.now() - startedMs;
  print({
    name: `encode ${CHARACTERS} characters: ${name}`,
    value: ms,
    unit: `ms, ${length} tokens`,
  });
}

const folder = process.argv[2] ?? TOKENIZER_FOLDER;
print({ name: "resident before", value: residentMegabytes(), unit: "MiB" });
const cacheFolder = await mkdtemp(join(tmpdir(), "tinker-rl-bench-"));
const load = async (): Promise<ModelTokenizer> =>
  createModelTokenizer(folder, await compileInThread(folder, { workerPath: WORKER, cacheFolder }));
const model = await measureLoad("first load", load);
print({ name: "resident after", value: residentMegabytes(), unit: "MiB" });
if (process.argv[2] === undefined) {
  const { wallS } = await observe("chat", async () =>
    createRenderer({
      date: "2026-01-02",
      model,
      config: { ...CHAT, thinking: THINKING, system_prompt_template: null },
    }),
  );
  print({ name: "chat format with its self-check", value: wallS * 1000, unit: "ms" });
}
const all = Object.entries(await texts());
for (const [name, text] of all) measureEncoding(name, text, model);
const { encodeText, decode } = model.tokenizer;
const result = (all[1]?.[1] ?? "").slice(0, 1_000);
const resultIds = encodeText(result);
print(rate("encode 1000 characters of code", resultIds.length, () => encodeText(result)));
print(rate("decode them", resultIds.length, () => decode(resultIds)));
await measureLoad("later load", load);
await rm(cacheFolder, { recursive: true });
await measureLoad("in this thread", () => loadModelTokenizer(folder));
