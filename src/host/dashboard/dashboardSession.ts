/** One page of the panel and the run it shows: sends what is new while the page is visible, and answers its questions. */

import { errorMessage } from "../../core/errors.ts";
import type { Clock, FileSystem } from "../../core/ports.ts";
import type { RunFollower } from "../../core/runFolder/follower.ts";
import type { MetricColumns } from "../../core/runFolder/metricColumns.ts";
import { WakeableSleep } from "../../core/util/wakeableSleep.ts";
import {
  type CommandArgs,
  DASHBOARD_VERSION,
  type DashboardCommand,
  type HostMessage,
  type PageMessage,
  type RunFacts,
} from "../../shared/dashboardMessages.ts";
import type { DashboardSettings, RunListing } from "../../shared/dashboardTypes.ts";
import type { RolloutSet } from "../../shared/rolloutSet.ts";
import { type Answerer, createAnswerer, type TokenTexts } from "./answers.ts";
import { ColumnQueue } from "./columnQueue.ts";
import { inDrawingOrder, sentColumns } from "./metricOrder.ts";
import { parsePageMessage } from "./pageMessages.ts";
import { type ConfigSummary, gatherFacts, readConfigSummary } from "./runFacts.ts";

/** Numbers in one message. */
const APPEND_BYTES = 240_000;
/** At most four messages with numbers a second. */
const APPEND_PAUSE_MS = 250;
/** How often the folder of a run that is under way is looked at; changes that somebody tells of come at once. */
const LIVE_PAUSE_MS = 500;
const IDLE_PAUSE_MS = 3_000;
const NO_CONFIG: ConfigSummary = { model: null, environments: [], maxSteps: null };

/** A run that can be shown. */
export interface DashboardRun {
  readonly id: string;
  readonly name: string;
  /** May be shared with other views. */
  readonly follower: RunFollower;
}

/** A step or evaluation, or one of its rollouts. */
export interface DashboardTarget extends RolloutSet {
  readonly rollout: { readonly group: number; readonly rollout: number } | null;
}

export interface DashboardSessionOptions {
  /** Hands a message to the page. */
  readonly post: (message: HostMessage) => void;
  readonly clock: Clock;
  readonly fileSystem: FileSystem;
  readonly isProcessAlive: (pid: number) => boolean;
  readonly runs: {
    list(): Promise<readonly RunListing[]>;
    /** Null when there is no such run any more. */
    find(id: string): Promise<DashboardRun | null>;
  };
  /** Does what the page asked for. A rejection is shown in the page. */
  readonly command: (
    command: DashboardCommand,
    run: DashboardRun,
    args: CommandArgs,
  ) => Promise<void>;
  readonly tokenTexts: TokenTexts;
  /** A path as people should see it: from the workspace or from `~`. */
  readonly shortenPath: (path: string) => string;
  readonly settings: () => DashboardSettings;
  /** Keeps the metrics that the user added, for {@link DashboardSettings} of other pages. */
  readonly pinMetrics: (names: readonly string[]) => Promise<void>;
  /** Called with the run that is shown from now on. */
  readonly onRunShown?: (run: DashboardRun) => void;
}

/**
 * Works only between a page's `ready` and its hiding: a hidden page costs no message and no timer. Everything is sent by one
 * loop, so that messages keep their order. The page is not trusted: what is not a known message is dropped.
 */
export class DashboardSession {
  readonly #options: DashboardSessionOptions;
  readonly #queue = new ColumnQueue(APPEND_BYTES);
  #run: DashboardRun | null;
  #answerer: Answerer | null = null;
  #config = NO_CONFIG;
  #configAttempt: number | null = null;
  #metrics: MetricColumns | null = null;
  #sent = new Map<string, string>();
  /** Metrics that the page looks at. */
  #wanted: ReadonlySet<string> = new Set();
  /** How many of the run's metrics the page knows by name. */
  #named = 0;
  #target: DashboardTarget | null = null;
  #isVisible: boolean;
  #isReady = false;
  #isStarting = false;
  #isDisposed = false;
  #looping: Promise<void> | null = null;
  readonly #sleep = new WakeableSleep();
  #lookedAtMs = 0;

  constructor(
    options: DashboardSessionOptions,
    { run, isVisible }: { readonly run: DashboardRun | null; readonly isVisible: boolean },
  ) {
    this.#options = options;
    this.#run = run;
    this.#isVisible = isVisible;
  }

  get run(): DashboardRun | null {
    return this.#run;
  }

  /** Call with everything the page posts. */
  receive(value: unknown): void {
    const message = parsePageMessage(value);
    if (message === null || this.#isDisposed) return;
    this.#handle(message);
  }

  /** A page that was hidden is gone; when it is shown again a new one says `ready`. */
  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
    this.#isVisible = isVisible;
    if (!isVisible) {
      this.#isReady = false;
      this.#dropAnswerer();
    }
    this.#wake();
  }

  /** Shows another run from its beginning; with a target, goes to its rollouts. */
  show(run: DashboardRun, target: DashboardTarget | null = null): void {
    if (target !== null) this.#target = target;
    if (run.id !== this.#run?.id) {
      this.#dropAnswerer();
      this.#run = run;
      this.#isStarting = true;
    }
    this.#wake();
  }

  /** Call when files of the run have changed. */
  refresh(): void {
    this.#wake();
  }

  /** Harmless when repeated. */
  dispose(): void {
    this.#isDisposed = true;
    this.#dropAnswerer();
    this.#wake();
  }

  #handle(message: PageMessage): void {
    switch (message.kind) {
      case "ready":
        this.#isReady = true;
        this.#isStarting = true;
        this.#wanted = new Set();
        this.#wake();
        return;
      case "question":
        this.#answerer?.answer(message.id, message.question);
        return;
      case "cancel":
        this.#answerer?.cancel(message.id);
        return;
      case "select-run":
        this.#select(message.id);
        return;
      case "want-columns":
        this.#wanted = new Set(message.names);
        this.#wake();
        return;
      case "pin-metrics":
        this.#options.pinMetrics(message.names).catch((error: unknown) => {
          this.#postError(this.#clean(errorMessage(error)));
        });
        return;
      case "command":
        this.#command(message.command, message.args);
    }
  }

  #dropAnswerer(): void {
    this.#answerer?.dispose();
    this.#answerer = null;
  }

  #select(id: string): void {
    this.#options.runs.find(id).then(
      (run) => {
        if (run === null) this.#postError("This run is not there any more. Choose another one.");
        else this.show(run);
      },
      (error: unknown) => this.#postError(this.#clean(errorMessage(error))),
    );
  }

  #command(command: DashboardCommand, args: CommandArgs): void {
    const run = this.#run;
    if (run === null) return;
    this.#options.command(command, run, args).then(
      () => this.#wake(),
      (error: unknown) => this.#postError(this.#clean(errorMessage(error))),
    );
  }

  /** Starts the loop when there is something to do, or lets it look at once. */
  #wake(): void {
    if (this.#looping !== null) this.#sleep.wakeOrNext();
    if (this.#looping !== null || !this.#isActive) return;
    this.#looping = this.#loop().finally(() => {
      this.#looping = null;
      if (this.#isActive) this.#wake();
    });
  }

  get #isActive(): boolean {
    return this.#isVisible && this.#isReady && !this.#isDisposed;
  }

  async #loop(): Promise<void> {
    const { clock } = this.#options;
    while (this.#isActive) {
      this.#lookedAtMs = clock.monotonic();
      const pauseMs = await this.#step();
      if (this.#isActive) await this.#sleep.sleep(clock, pauseMs);
      // The loop reads and sends at most four times a second, however often it is woken.
      while (this.#isActive && !this.#isStarting && this.#restMs > 0) {
        await this.#sleep.sleep(clock, this.#restMs);
      }
    }
  }

  get #restMs(): number {
    return this.#lookedAtMs + APPEND_PAUSE_MS - this.#options.clock.monotonic();
  }

  /** Sends what is due and tells when to look again. */
  async #step(): Promise<number> {
    try {
      const run = this.#run;
      if (run === null) return await this.#showNothing();
      return await this.#showRun(run);
    } catch (error) {
      // The fault is shown and not thrown: the next reading may succeed.
      this.#postError(this.#clean(errorMessage(error)));
      return IDLE_PAUSE_MS;
    }
  }

  async #showNothing(): Promise<number> {
    const { runs, post, settings } = this.#options;
    const [first] = await runs.list();
    const run = first === undefined ? null : await runs.find(first.id);
    if (run !== null) {
      this.show(run);
      return 0;
    }
    if (this.#isStarting) post({ kind: "empty", settings: settings() });
    this.#isStarting = false;
    return IDLE_PAUSE_MS;
  }

  async #showRun(run: DashboardRun): Promise<number> {
    const { follower } = run;
    const change = await follower.refresh();
    await this.#readConfig(run);
    const facts = await this.#facts(run);
    // While the folder was read, the page may have gone or asked for another run.
    if (!this.#isActive || run !== this.#run) return 0;
    const names = inDrawingOrder(follower.metrics.names);
    if (this.#isStarting) this.#begin(run, facts, names);
    else if (this.#metrics !== follower.metrics) this.#replace(run, facts, names);
    else {
      if (change.fromRow !== null) this.#queue.rewind(change.fromRow);
      this.#postChangedFacts(facts);
    }
    this.#postTarget();
    const isComplete = this.#postColumns(follower.metrics, sentColumns(names, this.#wanted));
    await this.#answerer?.refresh();
    if (!isComplete) return APPEND_PAUSE_MS;
    return facts.run.isControllable || isLive(facts) ? LIVE_PAUSE_MS : IDLE_PAUSE_MS;
  }

  #begin(run: DashboardRun, facts: RunFacts, names: readonly string[]): void {
    const { post, settings, onRunShown } = this.#options;
    this.#isStarting = false;
    this.#reset(run, facts);
    post({ kind: "init", version: DASHBOARD_VERSION, settings: settings(), facts, names });
    onRunShown?.(run);
  }

  #replace(run: DashboardRun, facts: RunFacts, names: readonly string[]): void {
    this.#reset(run, facts);
    this.#options.post({ kind: "replace", facts, names });
  }

  #reset(run: DashboardRun, facts: RunFacts): void {
    const { post, clock, fileSystem, tokenTexts, shortenPath } = this.#options;
    this.#dropAnswerer();
    this.#answerer = createAnswerer({
      ...{ post, clock, fileSystem, tokenTexts, shortenPath },
      follower: run.follower,
      clean: (text) => this.#clean(text),
    });
    this.#metrics = run.follower.metrics;
    this.#named = run.follower.metrics.names.length;
    this.#queue.clear();
    this.#sent = new Map(Object.entries(facts).map(([key, value]) => [key, JSON.stringify(value)]));
  }

  #postChangedFacts(facts: RunFacts): void {
    const changed = Object.entries(facts).filter(([key, value]) => {
      const text = JSON.stringify(value);
      const isChanged = this.#sent.get(key) !== text;
      this.#sent.set(key, text);
      return isChanged;
    });
    if (changed.length === 0) return;
    this.#options.post({ kind: "facts", facts: Object.fromEntries(changed) });
  }

  #postTarget(): void {
    if (this.#target === null) return;
    const { source, step, rollout } = this.#target;
    this.#target = null;
    this.#options.post({ kind: "open", source, step, rollout });
  }

  #postColumns(metrics: MetricColumns, names: readonly string[]): boolean {
    const next = this.#queue.next(metrics, names);
    if (next === null) return true;
    const newNames = metrics.names.slice(this.#named);
    this.#named += newNames.length;
    this.#options.post({ kind: "append", rows: metrics.length, names: newNames, ...next });
    return next.isComplete;
  }

  async #readConfig({ follower }: DashboardRun): Promise<void> {
    const attempt = follower.runFile?.attempt ?? 0;
    if (!this.#isStarting && this.#configAttempt === attempt && this.#config.model !== null) return;
    this.#config = await readConfigSummary(this.#options.fileSystem, follower.folder);
    this.#configAttempt = attempt;
  }

  async #facts({ id, name, follower }: DashboardRun): Promise<RunFacts> {
    const { fileSystem, clock, isProcessAlive, shortenPath, runs } = this.#options;
    const liveness = { nowMs: clock.now(), isProcessAlive };
    const own = await gatherFacts({
      ...{ id, name, follower, fileSystem, liveness, shortenPath },
      config: this.#config,
    });
    return {
      ...own,
      runs: await runs.list(),
      rolloutSteps: await follower.steps("training"),
      evaluatedSteps: await follower.steps("evaluation"),
    };
  }

  #postError(message: string): void {
    if (this.#isActive) this.#options.post({ kind: "error", id: null, message });
  }

  /** Messages name files; the page sees them as people do. */
  #clean(text: string): string {
    const folder = this.#run?.follower.folder;
    if (folder === undefined) return text;
    return text.replaceAll(folder, this.#options.shortenPath(folder));
  }
}

function isLive({ run }: RunFacts): boolean {
  return !["done", "failed", "stopped", "interrupted", "unknown"].includes(run.state);
}
