/** Follows a run folder while a trainer writes to it, without rereading any byte of its growing files. */

import type { RolloutSource } from "../../shared/rolloutSet.ts";
import { filesId, type RunFile } from "../../shared/runFile.ts";
import { isAppError } from "../errors.ts";
import type { FileSystem, FolderFiles } from "../ports.ts";
import type { FoundLine } from "../util/jsonl.ts";
import { type CheckpointEntry, NewestSaves, parseCheckpoint } from "./checkpointLog.ts";
import { type EvaluationEntry, parseEvaluation } from "./evaluationLog.ts";
import { parseEvent, type RunEvent } from "./events.ts";
import {
  runPaths,
  supersededAttempts,
  supersededFolder,
  supersededParent,
} from "./files/layout.ts";
import { readLines } from "./files/lineReader.ts";
import { NewestEntries } from "./files/newestEntries.ts";
import { MetricColumns } from "./metrics/metricColumns.ts";
import {
  createRunReader,
  isAnyRow,
  isEndRow,
  isMetricsRow,
  type RolloutSummary,
  StoredRollouts,
} from "./reader.ts";
import { readRunFile } from "./runFile.ts";

/** Steps and evaluations whose summaries are kept in memory. */
const MAX_OPEN = 4;

/** The changes found by a refresh. */
export interface RunChange {
  /** True if a resume or a new run replaced files: discard everything known before; the other fields then cover the whole folder. */
  readonly replaced: boolean;
  /** Rows from this index on are new or changed; null if there are none. */
  readonly fromRow: number | null;
  readonly events: readonly RunEvent[];
  readonly checkpoints: readonly CheckpointEntry[];
  readonly evaluations: readonly EvaluationEntry[];
}

/**
 * The owner calls {@link refresh} on a timer or when a file changed; between two calls all getters stay the same. Missing files
 * read as empty, and half-written lines wait for the next call. Long files are read in chunks, so that other work gets a turn.
 * Reads only the run's files, and rollouts only when {@link rollouts} asks for a step.
 */
export class RunFollower {
  readonly folder: string;
  readonly #fileSystem: FolderFiles;
  readonly #open = new Map<string, StoredRollouts>();
  #contents = emptyContents();
  #runFile: RunFile | null = null;
  #runFileProblem: string | null = null;
  #reading: Promise<RunChange> | null = null;

  constructor(parts: { readonly fileSystem: FileSystem; readonly folder: string }) {
    this.#fileSystem = parts.fileSystem.within(parts.folder);
    this.folder = parts.folder;
  }

  /** Null before the first refresh, and for folders not written by this program's trainer. */
  get runFile(): RunFile | null {
    return this.#runFile;
  }

  /** User-facing sentences about parts of the run that are unreadable or too large to show; null if there are none. */
  get problem(): string | null {
    const { damage, faults, metrics } = this.#contents;
    const sentences = [
      ...(this.#runFileProblem === null ? [] : [this.#runFileProblem]),
      ...faults.values(),
      ...damageSentences(damage),
      ...(metrics.isTruncated ? [TOO_MANY_METRICS] : []),
    ];
    return sentences.length === 0 ? null : [...new Set(sentences)].join(" ");
  }

  get metrics(): MetricColumns {
    return this.#contents.metrics;
  }

  /** In order of occurrence; only the newest. */
  get events(): readonly RunEvent[] {
    return this.#contents.events.all;
  }

  /** In the order they were made, as {@link NewestSaves} keeps them. */
  get checkpoints(): readonly CheckpointEntry[] {
    return this.#contents.checkpoints.all;
  }

  get evaluations(): readonly EvaluationEntry[] {
    return this.#contents.evaluations.all;
  }

  /** Reads what was added. Concurrent calls share one result. @throws AppError `folder-unsafe` */
  refresh(): Promise<RunChange> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  /** Steps with stored rollouts, or for evaluations the numbers of completed steps, ascending. The last one may be in progress. */
  steps(source: RolloutSource = "training"): Promise<readonly number[]> {
    const steps = createRunReader(this.#fileSystem, this.folder).steps(source);
    const { evalFolder, rolloutFolder } = runPaths(this.folder);
    const directory = source === "training" ? rolloutFolder : evalFolder;
    return steps.catch((error: unknown) => this.#recordFault(directory, error));
  }

  /** Up-to-date summaries of a step or evaluation, by group and position. The list grows while the step is in progress. */
  async rollouts(
    step: number,
    source: RolloutSource = "training",
  ): Promise<readonly RolloutSummary[]> {
    const key = `${source}/${step}`;
    const open =
      this.#open.get(key) ?? new StoredRollouts(this.#fileSystem, this.folder, { source, step });
    this.#open.delete(key);
    this.#open.set(key, open);
    for (const [oldest] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
    }
    await open.refresh();
    if (open.omission === null) this.#contents.faults.delete(key);
    else this.#contents.faults.set(key, open.omission);
    return open.summaries;
  }

  /** Attempts with steps that a resume moved away, ascending. */
  async supersededAttempts(): Promise<readonly number[]> {
    try {
      const found: number[] = [];
      for (const attempt of await supersededAttempts(this.#fileSystem, this.folder)) {
        if (await this.#hasSteps(attempt)) found.push(attempt);
      }
      return found;
    } catch (error) {
      return this.#recordFault(supersededParent(this.folder), error);
    }
  }

  /** False if a resume of a finished run moved away only its final evaluation. */
  async #hasSteps(attempt: number): Promise<boolean> {
    for await (const { value } of readLines(this.#fileSystem, this.#supersededMetrics(attempt))) {
      if (isMetricsRow(value)) return true;
    }
    return false;
  }

  /** Records why a part cannot be read, so that the rest is still shown. @throws AppError `folder-unsafe`, which hides everything */
  #recordFault(path: string, error: unknown): [] {
    if (!isAppError(error) || error.code === "folder-unsafe") throw error;
    this.#contents.faults.set(path, error.message);
    return [];
  }

  /** The metrics of the steps that were repeated after `attempt`; empty if there are none. */
  async supersededMetrics(attempt: number): Promise<MetricColumns> {
    const metrics = new MetricColumns();
    for await (const { value } of readLines(this.#fileSystem, this.#supersededMetrics(attempt))) {
      if (isMetricsRow(value)) metrics.add(value);
    }
    return metrics;
  }

  #supersededMetrics(attempt: number): string {
    return runPaths(supersededFolder(this.folder, attempt)).metrics;
  }

  async #refresh(): Promise<RunChange> {
    const before = this.#runFile;
    await this.#readRunFile();
    let replaced = areOtherFiles(before, this.#runFile);
    if (replaced || (await this.#hasShrunk())) {
      replaced = true;
      this.#reset();
    }
    let added = await this.#readGrowth();
    // A resume may have replaced the files in the meantime.
    const during = this.#runFile;
    if (added.hasGrown) await this.#readRunFile();
    if (areOtherFiles(during, this.#runFile)) {
      replaced = true;
      this.#reset();
      added = await this.#readGrowth();
    }
    const { fromRow, events, checkpoints, evaluations } = added;
    return { replaced, fromRow, events, checkpoints, evaluations };
  }

  async #readRunFile(): Promise<void> {
    try {
      this.#runFile = await readRunFile(this.#fileSystem, this.folder);
      this.#runFileProblem = null;
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.#runFileProblem = error.message;
    }
  }

  async #hasShrunk(): Promise<boolean> {
    for (const [path, offset] of this.#contents.offsets) {
      // A path that is no longer a file counts as having shrunk.
      const size = await this.#fileSystem.size(path).catch(() => null);
      if ((size ?? 0) < offset) return true;
    }
    return false;
  }

  async #readGrowth(): Promise<Growth> {
    const contents = this.#contents;
    const paths = runPaths(this.folder);
    const offsets = [...contents.offsets.values()].join();
    let fromRow: number | null = null;
    await this.#readFrom(paths.metrics, ({ value }) => {
      if (!isAnyRow(value)) return false;
      // Its results are among the evaluations, too.
      if (isEndRow(value)) return true;
      const at = contents.metrics.add(value);
      if (at !== null) fromRow = Math.min(at, fromRow ?? at);
      return true;
    });
    const events = await this.#readEntries(paths.events, parseEvent, contents.events);
    const checkpoints = await this.#readEntries(
      paths.checkpoints,
      parseCheckpoint,
      contents.checkpoints,
    );
    const evaluations = await this.#readEntries(
      paths.evaluations,
      parseEvaluation,
      contents.evaluations,
    );
    const hasGrown = [...contents.offsets.values()].join() !== offsets;
    return { fromRow, events, checkpoints, evaluations, hasGrown };
  }

  async #readEntries<T>(
    path: string,
    parse: (value: unknown) => T | null,
    all: Pick<NewestEntries<T>, "add">,
  ): Promise<readonly T[]> {
    const added = new NewestEntries<T>();
    await this.#readFrom(path, ({ value, length }) => {
      const entry = parse(value);
      if (entry === null) return false;
      added.add(entry, length);
      all.add(entry, length);
      return true;
    });
    return added.all;
  }

  /** `take` returns whether the line is valid. */
  async #readFrom(path: string, take: (line: FoundLine) => boolean): Promise<void> {
    const { offsets, damage, faults } = this.#contents;
    try {
      for await (const line of readLines(this.#fileSystem, path, offsets.get(path) ?? 0)) {
        if (!take(line)) damage.set(path, (damage.get(path) ?? 0) + 1);
        offsets.set(path, line.offset + line.length + 1);
      }
      faults.delete(path);
    } catch (error) {
      this.#recordFault(path, error);
    }
  }

  #reset(): void {
    this.#contents = emptyContents();
    this.#open.clear();
  }
}

interface Growth extends Pick<RunChange, "fromRow" | "events" | "checkpoints" | "evaluations"> {
  readonly hasGrown: boolean;
}

interface Contents {
  readonly metrics: MetricColumns;
  readonly events: NewestEntries<RunEvent>;
  readonly checkpoints: NewestSaves;
  readonly evaluations: NewestEntries<EvaluationEntry>;
  /** The offset at which the next read of each file starts. */
  readonly offsets: Map<string, number>;
  /** The number of unreadable lines per file. */
  readonly damage: Map<string, number>;
  /** Why files or folders cannot be read, or only in part. */
  readonly faults: Map<string, string>;
}

function emptyContents(): Contents {
  return {
    metrics: new MetricColumns(),
    events: new NewestEntries(),
    checkpoints: new NewestSaves(),
    evaluations: new NewestEntries(),
    offsets: new Map(),
    damage: new Map(),
    faults: new Map(),
  };
}

const TOO_MANY_METRICS =
  "The run has more metrics than fit in memory. Some are not shown, or end early; metrics.jsonl has all of them.";

function damageSentences(damage: ReadonlyMap<string, number>): readonly string[] {
  return [...damage].map(([path, count]) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    const lines =
      count === 1 ? "1 line cannot be read and is" : `${count} lines cannot be read and are`;
    return `${name} is damaged: ${lines} skipped.`;
  });
}

function areOtherFiles(before: RunFile | null, after: RunFile | null): boolean {
  return before !== null && after !== null && filesId(before) !== filesId(after);
}
