/**
 * Measures text search in a run of 1 GB, its index, and the index's cost for the trainer.
 * Run: `npm run bench:search [-- MEGABYTES]`. Texts are random excerpts of this project's sources and documents.
 */

import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { FolderFiles } from "../src/core/ports.ts";
import type { RolloutRecord } from "../src/core/runFolder/rollouts/rolloutRecord.ts";
import { textPaths, writeTextIndex } from "../src/core/search/textIndex.ts";
import { Redactor } from "../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../src/core/util/jsonl.ts";
import { createFileSystem } from "../src/node/fileSystem.ts";
import { reportsInThread } from "../src/node/texts/textThread.ts";
import { createUniform } from "../src/shared/uniform.ts";
import { aRecord } from "../test/core/runFolder/builders.ts";
import { printRows, type Row, row } from "./editorTable.ts";
import { indexShareRow } from "./searchIndexShare.ts";

const STEP_MEGABYTES = 1;
const TURNS = 4;
const TURN_CHARACTERS = 2_000;
const TRIES = 5;
const FIRST_MS = 200;
/** Number of hits that a view requests. */
const MAX_HITS = 500;
/** Occurs once, in the oldest step. */
const RARE = "quetzalcoatlus";

const megabytes = Number(process.argv[2] ?? 1_000);
const steps = Math.ceil(megabytes / STEP_MEGABYTES);
const uniform = createUniform(1);
const pool = [...filesUnder("docs"), ...filesUnder("src")]
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");
const folder = mkdtempSync(join(tmpdir(), "search-"));
const files = createFileSystem().within(folder);

try {
  writeRun();
  printRows(`The index of ${megabytes} MB of rollouts in ${steps} steps`, await indexRows(files));
  printRows("The index of a run of short rollouts", [await indexShareRow()]);
  printRows("Search from its start in a thread", [
    ...(await searchRows("a word that is everywhere", { text: "function" })),
    ...(await searchRows("a word that occurs once, in the oldest step", { text: RARE })),
    ...(await searchRows("a regular expression with literals", {
      text: `${RARE}\\s+\\d+`,
      isRegex: true,
    })),
    ...(await searchRows("a word that occurs nowhere", { text: "xylophonisten" })),
    ...(await searchRows(
      "a regular expression without",
      { text: "[aeiou]{5}[xyz]", isRegex: true },
      1,
      // All of the text is read until there is a hit.
      null,
    )),
  ]);
} finally {
  rmSync(folder, { recursive: true });
}

function filesUnder(path: string): readonly string[] {
  return readdirSync(path, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(?:md|ts)$/.test(name))
    .map((name) => join(path, name));
}

function passage(length: number): string {
  const start = Math.floor(uniform() * (pool.length - length));
  return pool.slice(start, start + length);
}

function rolloutOf(step: number, rollout: number): RolloutRecord {
  const isFirst = step === 0 && rollout === 0;
  const turns = Array.from({ length: TURNS }, (_, turn) => {
    const content = passage(TURN_CHARACTERS) + (isFirst && turn === 0 ? ` ${RARE} 7` : "");
    const call = passage(TURN_CHARACTERS / 10);
    const result = passage(TURN_CHARACTERS);
    const [model] = aRecord().turns;
    if (model === undefined) throw new Error("A record has a turn.");
    return {
      ...model,
      sampledText: content,
      content,
      calls: [{ name: "run", args: JSON.stringify({ call }), raw: call }],
      results: [{ name: "run", text: result, isError: false, reward: 0, finished: false }],
    };
  });
  return aRecord({ step, group: rollout >> 3, rollout: rollout & 7, turns });
}

function writeRun(): void {
  mkdirSync(join(folder, "rollouts"));
  for (let step = 0; step < steps; step += 1) {
    const lines: Uint8Array[] = [];
    for (let size = 0; size < STEP_MEGABYTES * 1e6; size += lines.at(-1)?.length ?? 0) {
      lines.push(encodeJsonLine(rolloutOf(step, lines.length)));
    }
    writeFileSync(textPaths(folder, { source: "training", step }).bodies, Buffer.concat(lines));
  }
}

async function indexRows(own: FolderFiles): Promise<readonly Row[]> {
  const redactor = new Redactor();
  redactor.learn("tml-8f14e45fceea167a5a36dedd4bea2543");
  let [text, index] = [0, 0];
  const startedAt = process.cpuUsage();
  for (let step = 0; step < steps; step += 1) {
    const paths = textPaths(folder, { source: "training", step });
    await writeTextIndex(own, paths);
    text += statSync(paths.bodies).size;
    index += statSync(paths.index).size;
  }
  const indexing = seconds(process.cpuUsage(startedAt)) / (text / 1e6);
  const records = Array.from({ length: 200 }, (_, rollout) => rolloutOf(0, rollout));
  const beforeStoring = process.cpuUsage();
  let stored = 0;
  for (const record of records) stored += encodeJsonLine(redactor.redactRecord(record)).length;
  const storing = seconds(process.cpuUsage(beforeStoring)) / (stored / 1e6);
  return [
    row("index beside text", [(100 * index) / text], 20, "%"),
    row("processor time for 1 MB", [1e3 * indexing]),
    row("redacting and encoding that megabyte", [1e3 * storing]),
  ];
}

function seconds({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1e6;
}

async function searchRows(
  what: string,
  { text, isRegex = false }: { readonly text: string; readonly isRegex?: boolean },
  tries = TRIES,
  budget: number | null = FIRST_MS,
): Promise<readonly Row[]> {
  const first: number[] = [];
  const whole: number[] = [];
  let found = 0;
  for (let at = 0; at < tries; at += 1) {
    const startedMs = performance.now();
    const task = {
      kind: "search" as const,
      query: { text, isRegex, roles: [] },
      set: null,
      readOnly: [],
      maxHits: MAX_HITS,
    };
    let hits = 0;
    const workerPath = resolve("dist", "trainer", "textWorker.js");
    for await (const report of reportsInThread({ ...task, folders: [folder] }, { workerPath })) {
      if (hits === 0 && report.hits.length > 0) first.push(performance.now() - startedMs);
      hits += report.hits.length;
    }
    whole.push(performance.now() - startedMs);
    found = hits;
  }
  return [
    ...(first.length === 0 ? [] : [row(`${what}: first hit`, first, budget)]),
    row(`${what}: ${found} hits`, whole),
  ];
}
