/** Reads a growing run folder: rows, summaries and single bodies, without loading a whole file of bodies. */

import type { RolloutSet, RolloutSource } from "../../shared/rolloutSet.ts";
import { isJsonObject } from "../json.ts";
import type { FolderFiles } from "../ports.ts";
import { type FoundLine, parseJson } from "../util/jsonl.ts";
import { evalPath, runPaths, stepOfFileName, stepPaths, tokensPath } from "./files/layout.ts";
import { MAX_LINE_BYTES, readLines, stepOfLine } from "./files/lineReader.ts";
import { type Marks, readMarks } from "./marks.ts";
import type { MetricsRow } from "./metrics/metricsTree.ts";
import {
  type EndedLine,
  type EvaluatedRollout,
  indexLineSchema,
  parseEvaluatedRollout,
  type RolloutRecord,
  rolloutRecordSchema,
  type ScoredLine,
  type StoredTokenRange,
  summarizeRollout,
  type TokensLine,
} from "./rollouts/rolloutRecord.ts";
import { parsePhases, type StepPhases } from "./rollouts/stepPhases.ts";
import { decodeTokenRecord, type TokenRecord } from "./rollouts/tokenRecord.ts";

const MIB = 1024 * 1024;
/** Over 1.5 million tokens, more than any record has; protects against a damaged index. */
const MAX_TOKEN_BYTES = 32 * MIB;
/** Limits the rollouts listed from an index to about 30,000. */
const MAX_INDEX_BYTES = 16 * MIB;
/** The limit for an evaluation, which has no index: listing its rollouts reads them completely. */
const MAX_EVALUATION_BYTES = 256 * MIB;
/** More than any rollout has. */
const MAX_STREAMS = 1_000;
/** More groups than any dataset has tasks. */
const MAX_GROUP = 1e9;

/** What is known about a rollout so far. */
export interface RolloutSummary extends EndedLine {
  readonly source: RolloutSource;
  /** Null for a training rollout; its temperature is a setting of the environment. */
  readonly temperature: number | null;
  /** Null until the step is scored. */
  readonly score: Pick<
    ScoredLine,
    "advantage" | "turnAdvantages" | "trainingUse" | "penalty"
  > | null;
  /** Why the evaluation was run; absent for a training rollout. */
  readonly purpose?: string;
  /** Name of the model, in a standalone evaluation; absent for the run's own weights. */
  readonly model?: string | undefined;
  /** Location of its token data, one entry per stream. */
  readonly tokenData: readonly StoredTokenRange[];
}

export interface RolloutList {
  readonly rollouts: readonly RolloutSummary[];
  /** Says which part of an overlong file was not read; null = all was read. */
  readonly omission: string | null;
}

/** Missing files read as empty; half-written and broken lines are skipped. Disk errors throw `file-unreadable`. */
export interface RunReader {
  metrics(): Promise<readonly MetricsRow[]>;
  /** Steps with rollouts, or for evaluations the numbers of completed steps, ascending. */
  steps(source?: RolloutSource): Promise<readonly number[]>;
  /** Ended rollouts by group and position in it. */
  rollouts(step: number, source?: RolloutSource): Promise<readonly RolloutSummary[]>;
  /** The same, plus a note on what is missing. */
  rolloutList(step: number, source?: RolloutSource): Promise<RolloutList>;
  /** Null if the body is not completely written. */
  body(summary: RolloutSummary): Promise<RolloutRecord | null>;
  /** Null if the record is not completely written. */
  tokens(set: RolloutSet, entry: StoredTokenRange): Promise<TokenRecord | null>;
  /** The marks of the run and its rollouts. */
  marks(): Promise<Marks>;
}

export function createRunReader(fileSystem: FolderFiles, folder: string): RunReader {
  const rolloutList: RunReader["rolloutList"] = async (step, source = "training") => {
    const stored = new StoredRollouts(fileSystem, folder, { source, step });
    await stored.refresh();
    return { rollouts: stored.summaries, omission: stored.omission };
  };
  return {
    rolloutList,
    metrics: () => readMetrics(fileSystem, folder),
    steps: async (source = "training") => {
      const { evalFolder, rolloutFolder } = runPaths(folder);
      const names = await fileSystem.list(source === "training" ? rolloutFolder : evalFolder);
      // An evaluation's token file may exist before its first rollout.
      const bodies = names.filter((name) => name.endsWith(".jsonl"));
      const steps = bodies.map(stepOfFileName).filter((step) => step !== null);
      return [...new Set(steps)].sort((a, b) => a - b);
    },
    rollouts: async (step, source) => (await rolloutList(step, source)).rollouts,
    body: (summary) => readBody(fileSystem, folder, summary),
    tokens: async (set, entry) => {
      const path = tokensPath(folder, set);
      const bytes = await readRecord(fileSystem, path, entry, MAX_TOKEN_BYTES);
      return bytes === null ? null : decodeTokenRecord(bytes);
    },
    marks: () => readMarks(fileSystem, folder),
  };
}

/** Training rollouts by group; those of an evaluation in the order they ended, so that their numbers do not change as its file grows. */
export function rolloutsInOrder(rollouts: readonly RolloutSummary[]): readonly RolloutSummary[] {
  const isEvaluation = rollouts[0]?.source === "evaluation";
  return isEvaluation ? [...rollouts].sort((a, b) => a.offset - b.offset) : rollouts;
}

/** The stored rollout of an index line or summary; null if its body is not completely written. */
export async function readBody(
  fileSystem: FolderFiles,
  folder: string,
  entry: Pick<EndedLine, "step" | "offset" | "length"> & Partial<Pick<RolloutSummary, "source">>,
): Promise<RolloutRecord | null> {
  const isEvaluated = entry.source === "evaluation";
  const bodies = isEvaluated ? evalPath(folder, entry.step) : stepPaths(folder, entry.step).bodies;
  const bytes = await readRecord(fileSystem, bodies, entry, MAX_LINE_BYTES);
  const value = bytes === null ? undefined : parseJson(new TextDecoder().decode(bytes))?.value;
  return rolloutRecordSchema.safeParse(value).data ?? null;
}

async function readMetrics(
  fileSystem: FolderFiles,
  folder: string,
): Promise<readonly MetricsRow[]> {
  const rows: MetricsRow[] = [];
  for await (const { value } of readLines(fileSystem, runPaths(folder).metrics)) {
    if (isMetricsRow(value)) rows.push(value);
  }
  return rows;
}

type EvaluatedLine = EndedLine & Pick<RolloutSummary, "temperature" | "purpose" | "model">;

/** The summaries of one step or evaluation while its file grows; each read continues where the last one ended. */
export class StoredRollouts {
  readonly #fileSystem: FolderFiles;
  readonly #set: RolloutSet;
  readonly #path: string;
  readonly #maxBytes: number;
  readonly #ended = new Map<string, EvaluatedLine>();
  readonly #scores = new Map<string, ScoredLine>();
  readonly #tokens = new Map<string, readonly StoredTokenRange[]>();
  #cells = new EvaluatedCells();
  #phases: StepPhases | null = null;
  #offset = 0;
  #bytesLeftOut = 0;
  #summaries: readonly RolloutSummary[] | null = [];
  #reading: Promise<void> | null = null;

  constructor(fileSystem: FolderFiles, folder: string, set: RolloutSet) {
    const isEvaluation = set.source === "evaluation";
    this.#fileSystem = fileSystem;
    this.#set = set;
    this.#path = isEvaluation ? evalPath(folder, set.step) : stepPaths(folder, set.step).index;
    this.#maxBytes = isEvaluation ? MAX_EVALUATION_BYTES : MAX_INDEX_BYTES;
  }

  /** The ended rollouts read so far, by group and position; the same list until a read finds more. */
  get summaries(): readonly RolloutSummary[] {
    const { source } = this.#set;
    this.#summaries ??= [...this.#ended]
      .map(([key, line]) => ({
        ...line,
        source,
        score: this.#scores.get(key) ?? null,
        tokenData: this.#tokens.get(key) ?? [],
      }))
      .sort((a, b) => a.group - b.group || a.rollout - b.rollout);
    return this.#summaries;
  }

  /** Null for an evaluation, and until the step is over. */
  get phases(): StepPhases | null {
    return this.#phases;
  }

  /** Reads what was added; concurrent calls share one read. A file that became shorter was replaced by a resume and is read again. */
  refresh(): Promise<void> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** As in {@link RolloutList}, as of the last read. */
  get omission(): string | null {
    if (this.#bytesLeftOut === 0) return null;
    const name = this.#path.split("/").slice(-2).join("/");
    const leftOut = `${Math.ceil(this.#bytesLeftOut / MIB)} MiB`;
    return `${name} is too long to list completely: the rollouts in its last ${leftOut} are not shown.`;
  }

  async #refresh(): Promise<void> {
    const size = (await this.#fileSystem.size(this.#path)) ?? 0;
    if (size < this.#offset) this.#reset();
    this.#bytesLeftOut = 0;
    for await (const line of readLines(this.#fileSystem, this.#path, this.#offset)) {
      if (line.offset + line.length > this.#maxBytes) {
        this.#bytesLeftOut = size - line.offset;
        return;
      }
      this.#offset = line.offset + line.length + 1;
      if (this.#set.source === "evaluation") this.#addBody(line);
      else this.#addIndexLine(line.value);
    }
  }

  #addBody({ value, offset, length }: FoundLine): void {
    const evaluated = parseEvaluatedRollout(value);
    if (evaluated === null || evaluated.record.group > MAX_GROUP) return;
    const { record, tokenData, ...use } = evaluated;
    const { step } = this.#set;
    const group = this.#cells.groupOf(evaluated);
    const line = summarizeRollout({ ...record, step, group }, { offset, length });
    const key = `${group}/${line.rollout}`;
    this.#ended.set(key, { ...line, ...use });
    this.#tokens.set(key, tokenData.slice(0, MAX_STREAMS));
    this.#summaries = null;
  }

  #addIndexLine(value: unknown): void {
    const line = indexLineSchema.safeParse(value).data;
    if (line === undefined) {
      this.#phases = parsePhases(value) ?? this.#phases;
      return;
    }
    const key = `${line.group}/${line.rollout}`;
    if (line.kind === "ended") this.#ended.set(key, { ...line, temperature: null });
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
    this.#cells = new EvaluatedCells();
    this.#phases = null;
    this.#offset = 0;
    this.#summaries = null;
  }
}

/**
 * Assigns unique group numbers within an evaluation. Its records count groups from 0 for each cell (environment, split,
 * temperature, model); cells are played one after another, so each continues after the previous cell's last group.
 */
export class EvaluatedCells {
  readonly #first = new Map<string, number>();
  #next = 0;

  groupOf({ record, temperature, model }: EvaluatedRollout): number {
    const { environment, split, group } = record;
    const cell = JSON.stringify([environment, split, temperature, model]);
    const first = this.#first.get(cell) ?? this.#next;
    this.#first.set(cell, first);
    this.#next = Math.max(this.#next, first + group + 1);
    return first + group;
  }
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

/** A row of a step. Only checks `step`, because the program writes rows itself and readers of single metrics accept any JSON value. */
export function isMetricsRow(value: unknown): value is MetricsRow {
  return isAnyRow(value) && !isEndRow(value);
}

/** A row of a step, or of the evaluation after the last one. */
export function isAnyRow(value: unknown): value is MetricsRow {
  return isJsonObject(value) && stepOfLine(value) !== null;
}

/** The row of the evaluation after the last step: its `step` is the number of completed steps, and it has no step's metrics. */
export function isEndRow(row: MetricsRow): boolean {
  return row["evaluation_only"] === true;
}
