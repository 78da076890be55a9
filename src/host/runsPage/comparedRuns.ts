/** The numbers of the runs that the page compares: follows their folders, and sends what the page draws and has not. */

import type { RunsHostMessage } from "../../shared/runsPage.ts";
import { ColumnQueue } from "../dashboard/columnQueue.ts";
import type { FollowedRun } from "../runs/runFeed.ts";
import type { KeptCurves } from "./keptCurves.ts";

export interface ComparedRunsOptions {
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
      ...{ folder, run: null, sentNames: 0, isReset: true, isDisposed: false },
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
      await this.#sendAllKept();
      if (!next[1].isDisposed) await this.#follow(...next).catch(this.#options.onError);
    }
  }

  /** In one go: the page draws all charts anew with each frame in which numbers arrive. */
  async #sendAllKept(): Promise<void> {
    const waiting = [...this.#runs].filter(([, { kept }]) => kept !== null);
    const found = await Promise.all(waiting.map(([, { kept }]) => kept));
    for (const [index, [id, compared]] of waiting.entries()) {
      const kept = found[index] ?? null;
      if (kept !== null && compared.kept !== null && !compared.isDisposed) this.#sendKept(id, kept);
      compared.kept = null;
    }
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

  #sendKept(id: string, { steps, columns }: KeptCurves): void {
    const names = columns.map(({ name }) => name);
    const rows = steps.values.length;
    this.#options.post({ kind: "columns", id, isReset: true, names, rows, steps, columns });
  }

  #send(id: string, compared: ComparedRun): void {
    if (compared.run === null) return;
    const { metrics } = compared.run.follower;
    const wanted = this.#names.filter((name) => metrics.names.includes(name));
    const { names } = metrics;
    for (;;) {
      const columns = compared.queue.next(metrics, wanted);
      const added = names.slice(compared.sentNames);
      if (columns === null && added.length === 0) return;
      const { steps = null, columns: parts = [] } = columns ?? {};
      this.#options.post({
        ...{ kind: "columns", id, isReset: compared.isReset },
        ...{ names: added, rows: metrics.length, steps, columns: parts },
      });
      compared.sentNames = names.length;
      compared.isReset = false;
    }
  }
}
