/** Sends one run to one page: first everything, then the changes. */

import type { Clock, FileSystem } from "../../core/ports.ts";
import type { RunChange } from "../../core/runFolder/follower.ts";
import { StoredMarks } from "../../core/runFolder/marks.ts";
import type { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import { LaterUsage } from "../../core/runs/laterUsage.ts";
import type { DashboardQuestion, HostMessage, RunFacts } from "../../shared/dashboardMessages.ts";
import type { DashboardSettings, RunListing, RunView } from "../../shared/dashboardTypes.ts";
import { filesId } from "../../shared/runFile.ts";
import { Answerer } from "./answerer.ts";
import { ColumnQueue } from "./columnQueue.ts";
import { type DashboardRun, withShortFolder } from "./dashboardRun.ts";
import { inDrawingOrder, sentColumns } from "./metricOrder.ts";
import { type ConfigFacts, gatherFacts, readConfigFacts } from "./runFacts.ts";
import type { TokenTexts } from "./runQueries.ts";
import type { TextReader } from "./textReader.ts";

/** Maximum bytes of numbers per message. */
const APPEND_BYTES = 240_000;
/** Maximum number of marks sent, most recent first. */
const MAX_MARKS = 2_000;

export interface RunTransferOptions {
  /** Sends a message to the page. */
  readonly post: (message: HostMessage) => void;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly runs: {
    list(): Promise<readonly RunListing[]>;
    /** Progress of an evaluation, as reported by the trainer of the run in `folder`. */
    evaluated(folder: string): RunView["evaluated"];
  };
  readonly settings: { current(): DashboardSettings };
  readonly tokenTexts: TokenTexts;
  readonly texts: TextReader;
  /** Shortens a path for display: relative to the workspace or to `~`. */
  readonly shortenPath: (path: string) => string;
  /** Called when a different run is shown. */
  readonly onRunShown?: (run: DashboardRun) => void;
}

/** The result of reading the run's folder once. */
export interface RunReading {
  readonly change: RunChange;
  readonly facts: RunFacts;
}

export class RunTransfer {
  readonly #options: RunTransferOptions;
  readonly #run: DashboardRun;
  readonly #queue = new ColumnQueue(APPEND_BYTES);
  #answerer: Answerer | null = null;
  #configFacts: ConfigFacts | null = null;
  /** The {@link filesId} of the run whose configuration was read. */
  #configOf: string | null = null;
  /** Null until the page has the run. */
  #metrics: MetricColumns | null = null;
  /** The facts as last sent to the page, each as JSON. */
  #sent = new Map<string, string>();
  /** Number of the run's metrics whose names the page has. */
  #named = 0;
  readonly #marks: StoredMarks;
  readonly #laterUsage: LaterUsage;

  constructor(options: RunTransferOptions, run: DashboardRun) {
    const { folder } = run.follower;
    this.#options = options;
    this.#run = run;
    const files = options.fileSystem.within(folder);
    this.#marks = new StoredMarks(files, folder);
    this.#laterUsage = new LaterUsage(files, folder);
  }

  /** Reads the run's folder without sending anything. */
  async read(): Promise<RunReading> {
    const change = await this.#run.follower.refresh();
    await this.#readConfig();
    return { change, facts: await this.#facts() };
  }

  /** Sends the result of a read, except for the numbers. */
  sendFacts({ change, facts }: RunReading): void {
    const { post, settings, onRunShown } = this.#options;
    const { metrics } = this.#run.follower;
    const names = inDrawingOrder(metrics.names);
    if (this.#metrics === null) {
      this.#reset(facts);
      post({ kind: "init", settings: settings.current(), facts, names });
      onRunShown?.(this.#run);
    } else if (this.#metrics !== metrics) {
      this.#reset(facts);
      post({ kind: "replace", facts, names });
    } else {
      if (change.fromRow !== null) this.#queue.rewind(change.fromRow);
      this.#sendChangedFacts(facts);
    }
  }

  /** Sends the next numbers of the always-drawn and the `requested` metrics; false = more are pending. */
  sendColumns(requested: ReadonlySet<string>): boolean {
    const { metrics } = this.#run.follower;
    const columns = sentColumns(inDrawingOrder(metrics.names), requested);
    const next = this.#queue.next(metrics, columns);
    if (next === null) return true;
    const names = metrics.names.slice(this.#named);
    this.#named += names.length;
    this.#options.post({ kind: "append", rows: metrics.length, names, ...next });
    return next.isComplete;
  }

  /** Resends an answer that has changed. */
  async refreshAnswers(): Promise<void> {
    await this.#answerer?.refresh();
  }

  answer(id: number, question: DashboardQuestion): void {
    this.#answerer?.answer(id, question);
  }

  cancel(id: number): void {
    this.#answerer?.cancel(id);
  }

  /** Stops answering. */
  dispose(): void {
    this.#answerer?.dispose();
    this.#answerer = null;
  }

  #reset(facts: RunFacts): void {
    const { post, clock, fileSystem, tokenTexts, texts, shortenPath } = this.#options;
    const { follower } = this.#run;
    this.dispose();
    this.#answerer = new Answerer({
      post,
      clock,
      fileSystem,
      follower,
      tokenTexts,
      texts,
      shortenPath,
      clean: (text) => withShortFolder(text, this.#run, shortenPath),
    });
    this.#metrics = follower.metrics;
    this.#named = follower.metrics.names.length;
    this.#queue.clear();
    this.#sent = new Map(Object.entries(facts).map(([key, value]) => [key, JSON.stringify(value)]));
  }

  #sendChangedFacts(facts: RunFacts): void {
    const changed = Object.entries(facts).filter(([key, value]) => {
      const text = JSON.stringify(value);
      const isChanged = this.#sent.get(key) !== text;
      this.#sent.set(key, text);
      return isChanged;
    });
    if (changed.length === 0) return;
    this.#options.post({ kind: "facts", facts: Object.fromEntries(changed) });
  }

  /** Rereads after a resume and for a new run, which may bring another configuration, and after a failed read. */
  async #readConfig(): Promise<void> {
    const { follower } = this.#run;
    const files = follower.runFile && filesId(follower.runFile);
    if (this.#configOf === files && this.#configFacts !== null) return;
    this.#configFacts = await readConfigFacts(this.#options.fileSystem, follower.folder);
    this.#configOf = files;
  }

  async #facts(): Promise<RunFacts> {
    const { fileSystem, clock, isProcessAlive, shortenPath, runs } = this.#options;
    const { id, name, follower } = this.#run;
    const own = await gatherFacts({
      id,
      name,
      follower,
      fileSystem,
      shortenPath,
      liveness: { nowMs: clock.now(), isProcessAlive },
      configFacts: this.#configFacts,
      evaluated: runs.evaluated(follower.folder),
      laterUsage: this.#laterUsage,
    });
    const marks = await this.#marks.refresh();
    const problem = [own.run.problem, marks.problem].filter((each) => each !== null).join(" ");
    return {
      ...own,
      run: { ...own.run, problem: problem === "" ? null : problem },
      marks: { rollouts: marks.rollouts.slice(-MAX_MARKS) },
      runs: await runs.list(),
      rolloutSteps: await follower.steps("training"),
      evaluatedSteps: await follower.steps("evaluation"),
    };
  }
}
