/** Reads a run folder while it grows: rows, summaries and single bodies, never a whole file of them at once. */

import { isJsonObject } from "../json.ts";
import type { FileSystem } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths, stepOfFileName, stepPaths } from "./layout.ts";
import { readLines, stepOfLine } from "./lineReader.ts";
import type { MetricsRow } from "./metricsTree.ts";
import {
  type EndedLine,
  indexLineSchema,
  type RolloutRecord,
  rolloutRecordSchema,
  type ScoredLine,
  type TokensLine,
} from "./rolloutRecord.ts";
import { decodeTokenRecord, type TokenRecord } from "./tokenRecord.ts";

/** More than any body or token record has; a damaged index must not make the reader ask for more. */
const MAX_RECORD_BYTES = 256 * 1024 * 1024;

/** What the index says about one rollout so far. */
export interface RolloutSummary extends EndedLine {
  /** Null until the step is scored. */
  readonly score: Pick<ScoredLine, "advantage" | "fate"> | null;
  /** Where its token data lies, one entry a stream. */
  readonly tokenData: readonly TokensLine[];
}

export interface MetricsBatch {
  readonly rows: readonly MetricsRow[];
  /** Where the next read of the growing file begins. */
  readonly nextOffset: number;
}

/** Missing files read as empty, half-written and broken lines are left out. Faults of the disk throw `file-unreadable`. */
export interface RunReader {
  /** Rows from byte `from` on; after a rise of the run's `generation` read from 0 again. */
  metrics(from?: number): Promise<MetricsBatch>;
  /** Steps that have rollouts, ascending. */
  steps(): Promise<readonly number[]>;
  /** Ended rollouts of a step by group and position in it. */
  rollouts(step: number): Promise<readonly RolloutSummary[]>;
  /** Null when the body is not wholly there. */
  body(summary: EndedLine): Promise<RolloutRecord | null>;
  /** Null when the record is not wholly there. */
  tokens(entry: TokensLine): Promise<TokenRecord | null>;
}

export function createRunReader(fileSystem: FileSystem, folder: string): RunReader {
  return {
    metrics: (from = 0) => readMetrics(fileSystem, folder, from),
    steps: async () => {
      const names = await fileSystem.list(runPaths(folder).rolloutFolder);
      const steps = names.map(stepOfFileName).filter((step) => step !== null);
      return [...new Set(steps)].sort((a, b) => a - b);
    },
    rollouts: (step) => readSummaries(fileSystem, folder, step),
    body: async (summary) => {
      const bytes = await readRecord(fileSystem, stepPaths(folder, summary.step).bodies, summary);
      const value = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))?.value;
      return rolloutRecordSchema.safeParse(value).data ?? null;
    },
    tokens: async (entry) => {
      const bytes = await readRecord(fileSystem, stepPaths(folder, entry.step).tokens, entry);
      return bytes === null ? null : decodeTokenRecord(bytes);
    },
  };
}

async function readMetrics(
  fileSystem: FileSystem,
  folder: string,
  from: number,
): Promise<MetricsBatch> {
  const rows: MetricsRow[] = [];
  let nextOffset = from;
  for await (const line of readLines(fileSystem, runPaths(folder).metrics, from)) {
    nextOffset = line.offset + line.length + 1;
    if (isMetricsRow(line.value)) rows.push(line.value);
  }
  return { rows, nextOffset };
}

async function readSummaries(
  fileSystem: FileSystem,
  folder: string,
  step: number,
): Promise<readonly RolloutSummary[]> {
  const ended = new Map<string, EndedLine>();
  const scores = new Map<string, ScoredLine>();
  const tokens = new Map<string, TokensLine[]>();
  for await (const { value } of readLines(fileSystem, stepPaths(folder, step).index)) {
    const line = indexLineSchema.safeParse(value).data;
    if (line === undefined) continue;
    const key = `${line.group}/${line.rollout}`;
    if (line.kind === "ended") ended.set(key, line);
    else if (line.kind === "scored") scores.set(key, line);
    else tokens.set(key, [...(tokens.get(key) ?? []), line]);
  }
  return [...ended]
    .map(([key, line]) => ({
      ...line,
      score: scores.get(key) ?? null,
      tokenData: tokens.get(key) ?? [],
    }))
    .sort((a, b) => a.group - b.group || a.rollout - b.rollout);
}

async function readRecord(
  fileSystem: FileSystem,
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
): Promise<Uint8Array | null> {
  const size = (await fileSystem.size(path)) ?? 0;
  if (length > MAX_RECORD_BYTES || offset + length > size) return null;
  const bytes = await fileSystem.readRange(path, offset, length);
  return bytes.length === length ? bytes : null;
}

/** The program writes the rows itself; readers of single metrics meet any JSON value. */
function isMetricsRow(value: unknown): value is MetricsRow {
  return isJsonObject(value) && stepOfLine(value) !== null;
}
