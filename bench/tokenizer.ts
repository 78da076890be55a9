/**
 * Measures tokenizers: loading time, both first and from the compiled cache, encoding time for 100,000 characters, and how long the
 * event loop is blocked meanwhile. Run: `npm run bench:tokenizer` for Qwen3 and, if the chat kit is next to the clone, for all of its
 * tokenizers; `npm run bench:tokenizer -- FOLDER…` for the tokenizers in folders. Wall times grow under other CPU load.
 */

import { mkdir, readFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { createRenderer } from "../src/core/chat/setup/createRenderer.ts";
import { type ModelTokenizer, renderAside } from "../src/core/chat/tokenizer.ts";
import { integerBetween } from "../src/local/random.ts";
import { compileInThread } from "../src/node/tokenizer/compileInThread.ts";
import { createModelTokenizer } from "../src/node/tokenizer/modelTokenizer.ts";
import { createUniform } from "../src/shared/uniform.ts";
import {
  hasKitTokenizers,
  KIT_TOKENIZERS,
  unpackKitTokenizer,
} from "../test/conformance/chat/kitTokenizers.ts";
import { inBenchFolder } from "./benchFolder.ts";
import { MODEL, TOKENIZER_FOLDER } from "./benchModel.ts";
import { print, residentMegabytes } from "./measure.ts";

const WORKER = resolve("dist/trainer/tokenizerWorker.js");
const ENCODER = resolve("dist/trainer/encodeWorker.js");
const CHARACTERS = 100_000;
const CHAT = { chat_format: "auto", model_name: MODEL } as const;
const THINKING = { enabled: true, effort: null, retention: "all" } as const;
const COLUMNS = ["tokenizer", "ids", "first", "block", "later", "block"];

const filled = (text: string): string =>
  text.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS);

/** Ordinary texts, and texts that are slow for tokenizers with a quadratic merge. */
async function texts(): Promise<ReadonlyMap<string, string>> {
  const uniform = createUniform(1);
  const random = (first: number, last: number): string =>
    Array.from({ length: CHARACTERS }, () =>
      String.fromCodePoint(integerBetween(uniform, first, last)),
    ).join("");
  return new Map([
    ["prose", filled(await readFile("README.md", "utf8"))],
    ["code", filled(await readFile("dist/trainer/tokenizerWorker.js", "utf8"))],
    ["aaa", filled("a")],
    ["blanks", filled(" ")],
    ["digits", filled("1")],
    ["a-z", random(0x61, 0x7a)],
    ["Han", random(0x4e00, 0x9fff)],
    ["any", random(0x20, 0x1_ff_ff)],
  ]);
}

async function foldersToMeasure(
  parent: string,
  given: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (given.length > 0) return new Map(given.map((folder) => [basename(folder), resolve(folder)]));
  const folders = new Map([["qwen3 (package)", TOKENIZER_FOLDER]]);
  for (const name of hasKitTokenizers ? KIT_TOKENIZERS : []) {
    const folder = join(parent, name);
    await mkdir(folder);
    await unpackKitTokenizer(name, folder);
    folders.set(name, folder);
  }
  return folders;
}

const milliseconds = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

interface Watched<Result> {
  readonly result: Result;
  readonly wallMs: number;
  /** Longest time between two iterations of the event loop. Other load on the machine makes it longer. */
  readonly longestMs: number;
}

/** Measures the longest time for which an action blocks the event loop. */
async function watchLoop<Result>(action: () => Promise<Result>): Promise<Watched<Result>> {
  let longestMs = 0;
  let lastMs = performance.now();
  let isWatching = true;
  const turn = (): void => {
    const nowMs = performance.now();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (isWatching) setTimeout(turn);
  };
  turn();
  const startedMs = performance.now();
  const result = await action();
  const wallMs = performance.now() - startedMs;
  isWatching = false;
  turn();
  return { result, wallMs, longestMs };
}

/** One line of the table, in milliseconds. */
async function measure(
  folder: string,
  cacheFolder: string,
  all: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const load = async (): Promise<ModelTokenizer> =>
    createModelTokenizer(
      folder,
      await compileInThread(folder, { workerPath: WORKER, cacheFolder }),
      ENCODER,
    );
  const first = await watchLoop(load);
  const later = await watchLoop(load);
  const { tokenizer } = later.result;
  const encoded: number[] = [];
  let longestMs = 0;
  for (const text of all.values()) {
    const watched = await watchLoop(() =>
      renderAside(tokenizer, () => tokenizer.encodeText(text).length),
    );
    encoded.push(watched.wallMs);
    longestMs = Math.max(longestMs, watched.longestMs);
  }
  const times = [
    first.wallMs,
    first.longestMs,
    later.wallMs,
    later.longestMs,
    ...encoded,
    longestMs,
  ];
  return [String(tokenizer.vocabSize), ...times.map(milliseconds)];
}

await inBenchFolder(async (scratch) => {
  const all = await texts();
  const folders = await foldersToMeasure(scratch, process.argv.slice(2));
  const rows = [[...COLUMNS, ...all.keys(), "block"]];
  for (const [name, folder] of folders) {
    rows.push([name, ...(await measure(folder, join(scratch, "cache"), all))]);
  }
  console.log(`Milliseconds; texts of ${CHARACTERS} characters.`);
  for (const row of rows) {
    console.log(row.map((cell, at) => (at === 0 ? cell.padEnd(18) : cell.padStart(8))).join(""));
  }
  if (process.argv[2] === undefined) {
    const compiled = await compileInThread(TOKENIZER_FOLDER, {
      workerPath: WORKER,
      cacheFolder: join(scratch, "cache"),
    });
    const model = createModelTokenizer(TOKENIZER_FOLDER, compiled);
    const config = { ...CHAT, thinking: THINKING, system_prompt_template: null };
    const chat = await watchLoop(async () => createRenderer({ date: "2026-01-02", model, config }));
    print({ name: "chat format with its self-check", value: chat.wallMs, unit: "ms" });
  }
  print({ name: "resident after", value: residentMegabytes(), unit: "MiB" });
});
