/** Reads a run folder while it grows: rows, summaries and single bodies, never a whole file of them at once. */

import { isJsonObject } from "../json.ts";
import type { FolderFiles } from "../ports.ts";
import { parseJson } from "../util/jsonl.ts";
import { runPaths, stepOfFileName, stepPaths } from "./layout.ts";
import { MAX_LINE_BYTES, readLines, stepOfLine } from "./lineReader.ts";
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

/** Over 1.5 million tokens: more than any record has; a damaged index must not make the reader ask for more. */
const MAX_TOKEN_BYTES = 32 * 1024 * 1024;
/** Of an index, as far as its rollouts are listed: 30,000 rollouts. */
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** More than a rollout is ever broken into. */
const MAX_STREAMS = 1_000;

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

export function createRunReader(fileSystem: FolderFiles, folder: string): RunReader {
  return {
    metrics: (from = 0) => readMetrics(fileSystem, folder, from),
    steps: async () => {
      const names = await fileSystem.list(runPaths(folder).rolloutFolder);
      const steps = names.map(stepOfFileName).filter((step) => step !== null);
      return [...new Set(steps)].sort((a, b) => a - b);
    },
    rollouts: (step) => readSummaries(fileSystem, folder, step),
    body: (summary) => readBody(fileSystem, folder, summary),
    tokens: async (entry) => {
      const { tokens } = stepPaths(folder, entry.step);
      const bytes = await readRecord(fileSystem, tokens, entry, MAX_TOKEN_BYTES);
      return bytes === null ? null : decodeTokenRecord(bytes);
    },
  };
}

/** The stored rollout of an index line; null when its body is not wholly there. */
export async function readBody(
  fileSystem: FolderFiles,
  folder: string,
  entry: Pick<EndedLine, "step" | "offset" | "length">,
): Promise<RolloutRecord | null> {
  const { bodies } = stepPaths(folder, entry.step);
  const bytes = await readRecord(fileSystem, bodies, entry, MAX_LINE_BYTES);
  const value = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))?.value;
  return rolloutRecordSchema.safeParse(value).data ?? null;
}

async function readMetrics(
  fileSystem: FolderFiles,
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

/** The summaries of one step while its index grows: every read goes on where the last one ended. */
export class StepRollouts {
  readonly #fileSystem: FolderFiles;
  readonly #path: string;
  readonly #ended = new Map<string, EndedLine>();
  readonly #scores = new Map<string, ScoredLine>();
  readonly #tokens = new Map<string, TokensLine[]>();
  #offset = 0;
  #bytes = 0;
  #summaries: readonly RolloutSummary[] | null = [];

  constructor(fileSystem: FolderFiles, folder: string, step: number) {
    this.#fileSystem = fileSystem;
    this.#path = stepPaths(folder, step).index;
  }

  /** Ended rollouts by group and position in it, as far as they were read; the same list until a read finds more. */
  get summaries(): readonly RolloutSummary[] {
    this.#summaries ??= [...this.#ended]
      .map(([key, line]) => ({
        ...line,
        score: this.#scores.get(key) ?? null,
        tokenData: this.#tokens.get(key) ?? [],
      }))
      .sort((a, b) => a.group - b.group || a.rollout - b.rollout);
    return this.#summaries;
  }

  /** Reads what was added. An index that became shorter was replaced by a resume and is read anew. */
  async refresh(): Promise<void> {
    const size = (await this.#fileSystem.size(this.#path)) ?? 0;
    if (size < this.#offset) this.#reset();
    for await (const line of readLines(this.#fileSystem, this.#path, this.#offset)) {
      this.#offset = line.offset + line.length + 1;
      this.#bytes += line.length;
      if (this.#bytes <= MAX_INDEX_BYTES) this.#add(line.value);
    }
  }

  /** True when rollouts were left out because there are too many. */
  get isCut(): boolean {
    return this.#bytes > MAX_INDEX_BYTES;
  }

  #add(value: unknown): void {
    const line = indexLineSchema.safeParse(value).data;
    if (line === undefined) return;
    const key = `${line.group}/${line.rollout}`;
    if (line.kind === "ended") this.#ended.set(key, line);
    else if (line.kind === "scored") this.#scores.set(key, line);
    else this.#addTokens(key, line);
    this.#summaries = null;
  }

  #addTokens(key: string, line: TokensLine): void {
    const known = this.#tokens.get(key) ?? [];
    if (known.length < MAX_STREAMS) this.#tokens.set(key, [...known, line]);
  }

  #reset(): void {
    for (const map of [this.#ended, this.#scores, this.#tokens]) map.clear();
    this.#offset = 0;
    this.#bytes = 0;
    this.#summaries = null;
  }
}

async function readSummaries(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
): Promise<readonly RolloutSummary[]> {
  const rollouts = new StepRollouts(fileSystem, folder, step);
  await rollouts.refresh();
  return rollouts.summaries;
}

async function readRecord(
  fileSystem: FolderFiles,
  path: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  maxBytes: number,
): Promise<Uint8Array | null> {
  const size = (await fileSystem.size(path)) ?? 0;
  if (length > maxBytes || offset + length > size) return null;
  const bytes = await fileSystem.readRange(path, offset, length);
  return bytes.length === length ? bytes : null;
}

/** The program writes the rows itself; readers of single metrics meet any JSON value. */
export function isMetricsRow(value: unknown): value is MetricsRow {
  return isJsonObject(value) && stepOfLine(value) !== null;
}
