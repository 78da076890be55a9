/** The numbers of the runs that the page compares: follows their folders, and sends what the page draws and has not. */

import type { Clock } from "../../core/ports.ts";
import type { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import type { RunColumns, RunsHostMessage } from "../../shared/runsPage.ts";
import { ColumnQueue } from "../dashboard/columnQueue.ts";
import type { FollowedRun } from "../runs/runFeed.ts";
import type { KeptCurves } from "./keptCurves.ts";

export interface ComparedRunsOptions {
  readonly clock: Pick<Clock, "sleep">;
  readonly follow: (folder: string) => FollowedRun;
  /** What is known of a run before it is read; null = nothing. */
  readonly keptCurves: (folder: string) => Promise<KeptCurves | null>;
  readonly post: (message: RunsHostMessage) => void;
  readonly onError: (error: unknown) => void;
}

interface ComparedRun {
  readonly folder: string;
  /** Null until it is this run's turn to be read. */
  run: FollowedRun | null;
  /** What was kept of the run, until it is sent; null = nothing. */
  kept: Promise<KeptCurves | null> | null;
  /** What was kept and sent, until the run is read; null = nothing. */
  sentKept: KeptCurves | null;
  readonly queue: ColumnQueue;
  /** How many names of metrics the page has. */
  sentNames: number;
  /** True when what the page has of the run is void. */
  isReset: boolean;
  isDisposed: boolean;
  dispose(): void;
}

/** Far below what VS Code hands over at once without a stall. */
const MESSAGE_BYTES = 512 * 1024;
/** More than ten runs of 1,000 steps have: the page draws all charts anew with each message, and somebody waits for the first. */
const KEPT_NUMBERS = 256 * 1024;
/** The page draws what was kept before the processor reads everything. */
const DRAW_MS = 500;

export class ComparedRuns {
  readonly #options: ComparedRunsOptions;
  readonly #runs = new Map<string, ComparedRun>();
  #names: readonly string[] = [];
  #isReading = false;

  constructor(options: ComparedRunsOptions) {
    this.#options = options;
  }

  /** Follows these runs, folders by id, and no others, and sends these metrics of them. */
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

  /** One run after another, each sent as soon as it is read: side by side they would all be there only at the end. */
  async #readAll(): Promise<void> {
    for (;;) {
      const next = [...this.#runs].find(([, { run }]) => run === null);
      this.#isReading = next !== undefined;
      if (next === undefined) return;
      if (await this.#sendAllKept()) await this.#options.clock.sleep(DRAW_MS);
      if (!next[1].isDisposed) await this.#follow(...next).catch(this.#options.onError);
    }
  }

  /** In as few messages as there can be; false when nothing was kept. */
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

/** The names that need not be sent: what was kept of the run is not sent again when it is as the run has it. */
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
