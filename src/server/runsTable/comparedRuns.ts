/** Metric curves of the compared runs: follows their folders, and sends what the page draws but does not have yet. */

import type { Clock } from "../../core/ports.ts";
import type { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import type { RunColumns, RunsHostMessage } from "../../shared/runsPage.ts";
import { ColumnQueue } from "../dashboard/columnQueue.ts";
import type { FollowedRun } from "../runs/runFeed.ts";
import type { KeptCurves } from "./keptCurves.ts";

export interface ComparedRunsOptions {
  readonly clock: Pick<Clock, "sleep">;
  readonly follow: (folder: string) => FollowedRun;
  /** Cached curves for use until the run is read; null = none. */
  readonly keptCurves: (folder: string) => Promise<KeptCurves | null>;
  readonly post: (message: RunsHostMessage) => void;
  readonly onError: (error: unknown) => void;
}

interface ComparedRun {
  readonly folder: string;
  /** Null until it is this run's turn to be read. */
  run: FollowedRun | null;
  /** The cached curves, until they are sent; null = none. */
  kept: Promise<KeptCurves | null> | null;
  /** Cached curves that were sent, until the run is read; null = none. */
  sentKept: KeptCurves | null;
  readonly queue: ColumnQueue;
  /** Number of metric names that the page has. */
  sentNames: number;
  /** True if the page must discard what it has of the run. */
  isReset: boolean;
  isDisposed: boolean;
  dispose(): void;
}

/** Well below what VS Code can transfer at once without stalling. */
const MESSAGE_BYTES = 512 * 1024;
/** More than ten runs of 1,000 steps need. Few messages, because the page redraws all charts for each, but the first should come soon. */
const KEPT_NUMBERS = 256 * 1024;
/** Lets the page draw cached curves before the reads occupy the processor. */
const DRAW_MS = 500;

export class ComparedRuns {
  readonly #options: ComparedRunsOptions;
  readonly #runs = new Map<string, ComparedRun>();
  #names: readonly string[] = [];
  #isReading = false;

  constructor(options: ComparedRunsOptions) {
    this.#options = options;
  }

  /** Follows exactly these runs (folders by id), and sends these metrics of them. */
  show(folders: ReadonlyMap<string, string>, names: readonly string[]): void {
    this.#names = names;
    for (const [id, compared] of this.#runs) {
      if (folders.has(id)) continue;
      compared.dispose();
      this.#runs.delete(id);
    }
    for (const [id, folder] of folders) {
      const known = this.#runs.get(id);
      if (known === undefined) this.#runs.set(id, this.#compare(folder));
      else this.#send(id, known);
    }
    if (this.#isReading) void this.#sendAllKept();
    else void this.#readAll();
  }

  dispose(): void {
    this.show(new Map(), []);
  }

  #compare(folder: string): ComparedRun {
    const compared: ComparedRun = {
      folder,
      run: null,
      sentKept: null,
      sentNames: 0,
      isReset: true,
      isDisposed: false,
      queue: new ColumnQueue(MESSAGE_BYTES),
      kept: this.#options.keptCurves(folder).catch((error: unknown) => {
        this.#options.onError(error);
        return null;
      }),
      dispose: () => {
        compared.isDisposed = true;
        compared.run?.dispose();
      },
    };
    return compared;
  }

  /** Reads one run after another and sends each as soon as it is read; in parallel, all would finish only at the end. */
  async #readAll(): Promise<void> {
    for (;;) {
      const next = [...this.#runs].find(([, { run }]) => run === null);
      this.#isReading = next !== undefined;
      if (next === undefined) return;
      if (await this.#sendAllKept()) await this.#options.clock.sleep(DRAW_MS);
      if (!next[1].isDisposed) await this.#follow(...next).catch(this.#options.onError);
    }
  }

  /** Sends cached curves in as few messages as possible; false if there were none. */
  async #sendAllKept(): Promise<boolean> {
    const waiting = [...this.#runs].filter(([, { kept }]) => kept !== null);
    const found = await Promise.all(waiting.map(([, { kept }]) => kept));
    let runs: RunColumns[] = [];
    let isAny = false;
    for (const [index, [id, compared]] of waiting.entries()) {
      const kept = found[index] ?? null;
      const isWanted = compared.kept !== null && !compared.isDisposed;
      compared.kept = null;
      if (kept === null || !isWanted) continue;
      compared.sentKept = kept;
      isAny = true;
      runs.push(columnsOf(id, kept));
      if (numbersIn(runs) < KEPT_NUMBERS) continue;
      this.#options.post({ kind: "columns", runs });
      runs = [];
    }
    if (runs.length > 0) this.#options.post({ kind: "columns", runs });
    return isAny;
  }

  async #follow(id: string, compared: ComparedRun): Promise<void> {
    const run = this.#options.follow(compared.folder);
    compared.run = run;
    const listening = run.onDidChange(({ replaced, fromRow }) => {
      if (replaced) {
        compared.queue.clear();
        compared.isReset = true;
        compared.sentNames = 0;
      } else if (fromRow !== null) compared.queue.rewind(fromRow);
      this.#send(id, compared);
    });
    compared.dispose = () => {
      compared.isDisposed = true;
      listening.dispose();
      run.dispose();
    };
    // Another view may have read it already.
    this.#send(id, compared);
    await run.refresh();
  }

  #send(id: string, compared: ComparedRun): void {
    if (compared.run === null) return;
    const { metrics } = compared.run.follower;
    if (metrics.length === 0) return;
    const known = takeSent(compared, metrics);
    const wanted = this.#names.filter((name) => metrics.names.includes(name));
    let names = metrics.names.slice(compared.sentNames).filter((name) => !known.has(name));
    compared.sentNames = metrics.names.length;
    for (;;) {
      const next = compared.queue.next(metrics, wanted);
      if (next === null && names.length === 0) return;
      const { steps = null, columns = [] } = next ?? {};
      const own = { id, isReset: compared.isReset, names, rows: metrics.length, steps, columns };
      this.#options.post({ kind: "columns", runs: [own] });
      compared.isReset = false;
      names = [];
    }
  }
}

/** Names that need not be sent: cached curves already on the page are not resent if they match the run. */
function takeSent(compared: ComparedRun, metrics: MetricColumns): ReadonlySet<string> {
  const { sentKept } = compared;
  compared.sentKept = null;
  if (sentKept === null || !compared.isReset) return new Set();
  const { steps, columns } = sentKept;
  const isBeginning =
    isSame(steps.values, metrics.steps()) &&
    columns.every(({ name, values }) => isSame(values, metrics.values(name)));
  if (!isBeginning) return new Set();
  const names = columns.map(({ name }) => name);
  compared.queue.skip(names, steps.values.length);
  compared.isReset = false;
  return new Set(names);
}

function isSame(kept: Float64Array, read: Float64Array): boolean {
  return kept.length <= read.length && kept.every((value, row) => Object.is(value, read[row]));
}

function columnsOf(id: string, { steps, columns }: KeptCurves): RunColumns {
  const names = columns.map(({ name }) => name);
  return { id, isReset: true, names, rows: steps.values.length, steps, columns };
}

function numbersIn(runs: readonly RunColumns[]): number {
  return runs.reduce((sum, { rows, columns }) => sum + rows * (columns.length + 1), 0);
}
