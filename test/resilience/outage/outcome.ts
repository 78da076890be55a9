/** The files of a run and the engine's weights, in a comparable form. */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import type { MetricsRow } from "../../../src/core/runFolder/metrics/metricsTree.ts";
import {
  comparableRow,
  REPEATED,
  sortedKeys,
  withoutKeys,
} from "../../integration/comparableRow.ts";

export interface Outcome {
  /** As written. */
  readonly rows: readonly MetricsRow[];
  /** Without values that depend on the clock, on service failures, or on the number of restarts. */
  readonly comparable: readonly MetricsRow[];
  /** Bytes of each step: token ids, log-probabilities of both sides, advantages. */
  readonly tokens: readonly string[];
  /** The rollouts of each step, with their texts and rewards. */
  readonly rollouts: readonly (readonly string[])[];
  /** Digests of the weights that the engine saved last. */
  readonly weights: readonly string[];
}

/** A line of `checkpoints.jsonl`. */
const saveSchema = z.looseObject({
  kind: z.string(),
  state_path: z.string(),
  sampler_path: z.string().nullable(),
});
/** The record of a checkpoint in the engine's store. */
const recordSchema = z.looseObject({ name: z.string(), file: z.string() });

const TIMED = new Set([
  ...["attempt", "startedAtMs", "durationMs", "samplingMs", "beginning"],
  ...["firstTokenMs", "queueMs"],
]);

export function readOutcome(runFolder: string, store: string, steps: number): Outcome {
  const rows = lines(join(runFolder, "metrics.jsonl")) as readonly MetricsRow[];
  const files = Array.from({ length: steps }, (_, step) =>
    join(runFolder, "rollouts", `step-${String(step).padStart(6, "0")}`),
  );
  return {
    rows,
    comparable: rows.map((row) => withoutKeys(comparableRow(row), REPEATED)),
    tokens: files.map((file) => base64(`${file}.tokens.bin`)),
    rollouts: files.map((file) =>
      lines(`${file}.jsonl`)
        .map((body) => JSON.stringify(withoutKeys(body, TIMED), sortedKeys))
        .sort(),
    ),
    weights: finalWeights(runFolder, store),
  };
}

function lines(path: string): readonly unknown[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line));
}

function base64(path: string): string {
  return existsSync(path) ? readFileSync(path).toString("base64") : "";
}

function finalWeights(runFolder: string, store: string): readonly string[] {
  const saves = lines(join(runFolder, "checkpoints.jsonl")).map((line) => saveSchema.parse(line));
  const last = saves.findLast(({ kind }) => kind === "final");
  return [last?.state_path, last?.sampler_path].map((path) => digestOf(store, path ?? ""));
}

/** `tinker://RUN/KIND/NAME` has a record in the store that names its file. */
function digestOf(store: string, path: string): string {
  const [, , run = "", kind = "", name = ""] = path.split("/");
  const folder = join(store, "runs", run.replaceAll(":", "."), kind);
  const records = existsSync(folder) ? readdirSync(folder) : [];
  for (const record of records.filter((file) => file.endsWith(".json"))) {
    const { name: own, file } = recordSchema.parse(
      JSON.parse(readFileSync(join(folder, record), "utf8")),
    );
    if (own !== name) continue;
    return createHash("sha256")
      .update(readFileSync(join(folder, file)))
      .digest("hex");
  }
  return `${path} is missing`;
}
