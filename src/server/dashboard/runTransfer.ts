/** Sends one run to one page: first all of it, then what has changed. */

import type { Clock, FileSystem } from "../../core/ports.ts";
import type { RunChange } from "../../core/runFolder/follower.ts";
import { StoredMarks } from "../../core/runFolder/marks.ts";
import type { MetricColumns } from "../../core/runFolder/metrics/metricColumns.ts";
import { LaterUsage } from "../../core/runs/laterUsage.ts";
import type { DashboardQuestion, HostMessage, RunFacts } from "../../shared/dashboardMessages.ts";
import type { DashboardSettings, RunListing, RunView } from "../../shared/dashboardTypes.ts";
import { Answerer } from "./answerer.ts";
import { ColumnQueue } from "./columnQueue.ts";
import { type DashboardRun, withShortFolder } from "./dashboardRun.ts";
import { inDrawingOrder, sentColumns } from "./metricOrder.ts";
import { type ConfigFacts, gatherFacts, readConfigFacts } from "./runFacts.ts";
import type { TokenTexts } from "./runQueries.ts";
import type { TextReader } from "./textReader.ts";

/** Numbers in one message. */
const APPEND_BYTES = 240_000;
/** Keeps the rollouts that were marked last. */
const MAX_MARKS = 2_000;

export interface RunTransferOptions {
  /** Hands a message to the page. */
  readonly post: (message: HostMessage) => void;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly runs: {
    list(): Promise<readonly RunListing[]>;
    /** What the trainer of the run in `folder` reports. */
    evaluated(folder: string): RunView["evaluated"];
  };
  readonly settings: { current(): DashboardSettings };
  readonly tokenTexts: TokenTexts;
  readonly texts: TextReader;
  /** A path as people should see it: from the workspace or from `~`. */
  readonly shortenPath: (path: string) => string;
  /** Called with the run that is shown from now on. */
  readonly onRunShown?: (run: DashboardRun) => void;
}

/** What one reading of the run's folder found. */
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
  #configAttempt: number | null = null;
  /** Null until the page knows the run. */
  #metrics: MetricColumns | null = null;
  /** The facts as the page has them, each as JSON. */
  #sent = new Map<string, string>();
  /** How many of the run's metrics the page knows by name. */
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

  /** Reads the run's folder; sends nothing. */
  async read(): Promise<RunReading> {
    const change = await this.#run.follower.refresh();
    await this.#readConfig();
    return { change, facts: await this.#facts() };
  }

  /** Sends what a reading found, but for the numbers. */
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

  /** Sends the next numbers of the metrics that are drawn always, and of the `requested` ones; false = more are waiting. */
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

  /** Sends an answer that has changed meanwhile. */
  async refreshAnswers(): Promise<void> {
    await this.#answerer?.refresh();
  }

  answer(id: number, question: DashboardQuestion): void {
    this.#answerer?.answer(id, question);
  }

  cancel(id: number): void {
    this.#answerer?.cancel(id);
  }

  /** Sends no answer any more. */
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

  /** A resume may bring another configuration; one that could not be read is tried again. */
  async #readConfig(): Promise<void> {
    const { follower } = this.#run;
    const attempt = follower.runFile?.attempt ?? 0;
    if (this.#configAttempt === attempt && this.#configFacts !== null) return;
    this.#configFacts = await readConfigFacts(this.#options.fileSystem, follower.folder);
    this.#configAttempt = attempt;
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
