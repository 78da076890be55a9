/** One dashboard page and the run it shows: sends updates while the page is visible, and answers its questions. */

import type { DashboardTarget } from "../../api/pages.ts";
import { errorMessage } from "../../core/errors.ts";
import { WakeableSleep } from "../../core/util/wakeableSleep.ts";
import { runFolder } from "../../node/runFolder.ts";
import type {
  CommandArgs,
  DashboardCommand,
  PageMessage,
  RunFacts,
} from "../../shared/dashboardMessages.ts";
import type { DashboardChoices } from "../../shared/dashboardTypes.ts";
import { hasEnded } from "../../shared/hasEnded.ts";
import type { RolloutKey } from "../../shared/rolloutSet.ts";
import { type DashboardRun, withShortFolder } from "./dashboardRun.ts";
import { parsePageMessage } from "./pageMessages.ts";
import { RunTransfer, type RunTransferOptions } from "./runTransfer.ts";

/** At most four messages with numbers per second. */
const APPEND_PAUSE_MS = 250;
/** Polling interval for the folder of a live run; reported changes are read immediately. */
const LIVE_PAUSE_MS = 500;
const IDLE_PAUSE_MS = 3_000;

export interface DashboardSessionOptions extends RunTransferOptions {
  readonly runs: RunTransferOptions["runs"] & {
    /** Null if the run no longer exists. */
    find(id: string): Promise<DashboardRun | null>;
  };
  readonly settings: RunTransferOptions["settings"] & {
    /** Stores choices, for other pages too. */
    keep(change: Partial<DashboardChoices>): Promise<void>;
  };
  /** Carries out a page's command. A rejection is shown in the page. */
  readonly command: (
    command: DashboardCommand,
    run: DashboardRun,
    args: CommandArgs,
  ) => Promise<void>;
}

/**
 * Active only from a page's `ready` until it is hidden: a hidden page costs no messages and no timers. A single loop sends everything, so
 * that messages stay in order. The page is untrusted: unknown messages are dropped.
 */
export class DashboardSession {
  readonly #options: DashboardSessionOptions;
  #run: DashboardRun | null;
  /** Null until the page has loaded, and while switching to another run. */
  #transfer: RunTransfer | null = null;
  /** Metrics that the page has requested. */
  #requested: ReadonlySet<string> = new Set();
  #target: DashboardTarget | null = null;
  #isSearchDue = false;
  /** Id of the run whose deletion was reported to the page. */
  #goneRun: string | null = null;
  /** Id of a run that has started while another is shown. */
  #offered: string | null = null;
  #isVisible: boolean;
  #isReady = false;
  /** True until a page that is ready has received its first message. */
  #isStarting = false;
  #isDisposed = false;
  #looping: Promise<void> | null = null;
  readonly #sleep = new WakeableSleep();
  #readAtMs = 0;

  constructor(
    options: DashboardSessionOptions,
    { run, isVisible }: { readonly run: DashboardRun | null; readonly isVisible: boolean },
  ) {
    this.#options = options;
    this.#run = run;
    this.#isVisible = isVisible;
  }

  /** Call with every message from the page. */
  receive(value: unknown): void {
    const message = parsePageMessage(value);
    if (message === null || this.#isDisposed) return;
    this.#handle(message);
  }

  /** A hidden page is destroyed; when shown again, a new page sends `ready`. */
  setVisible(isVisible: boolean): void {
    if (isVisible === this.#isVisible) return;
    this.#isVisible = isVisible;
    if (!isVisible) {
      this.#isReady = false;
      this.#dropTransfer();
    }
    this.#wake();
  }

  /** Switches to another run; with a target, opens its rollouts. */
  show(run: DashboardRun, target: DashboardTarget | null = null): void {
    if (target !== null) this.#target = target;
    if (run.id !== this.#run?.id) {
      this.#dropTransfer();
      this.#run = run;
      this.#isStarting = true;
    }
    this.#wake();
  }

  /** Offers a newly started run in the page, which keeps showing its current run. */
  offer(id: string): void {
    this.#offered = id;
    if (this.#transfer !== null) this.#postOffer();
  }

  /** Call when a page has stored choices, because each page stores whole lists. */
  showSettings(): void {
    const { post, settings } = this.#options;
    if (this.#isActive) post({ kind: "settings", settings: settings.current() });
  }

  /** Opens the search across all runs. */
  showSearch(): void {
    this.#isSearchDue = true;
    this.#wake();
  }

  /** Call when the run in `folder` has changed, or (without a folder) the list of runs. */
  refresh(folder: string | null = null): void {
    if (folder === null || folder === runFolder(this.#run?.follower.folder ?? "")) this.#wake();
  }

  /** Safe to call repeatedly. */
  dispose(): void {
    this.#isDisposed = true;
    this.#dropTransfer();
    this.#wake();
  }

  #handle(message: PageMessage): void {
    switch (message.kind) {
      case "ready":
        this.#isReady = true;
        this.#isStarting = true;
        this.#dropTransfer();
        this.#requested = new Set();
        this.#wake();
        return;
      case "question":
        this.#transfer?.answer(message.id, message.question);
        return;
      case "cancel":
        this.#transfer?.cancel(message.id);
        return;
      case "select-run":
        this.#select(message.id, message.key ?? null);
        return;
      case "want-columns":
        this.#requested = new Set(message.names);
        this.#wake();
        return;
      case "keep":
        this.#options.settings
          .keep(message.change)
          .catch((error: unknown) => this.#showError(error));
        return;
      case "command":
        this.#command(message.command, message.args);
    }
  }

  #dropTransfer(): void {
    this.#transfer?.dispose();
    this.#transfer = null;
  }

  #select(id: string, key: RolloutKey | null): void {
    this.#options.runs.find(id).then(
      (run) => {
        if (run === null) this.#postError("This run no longer exists. Choose another one.");
        else this.show(run, key === null ? null : { ...key, rollout: key });
      },
      (error: unknown) => this.#showError(error),
    );
  }

  #command(command: DashboardCommand, args: CommandArgs): void {
    const run = this.#run;
    if (run === null) return;
    this.#options.command(command, run, args).then(
      () => this.#wake(),
      (error: unknown) => this.#showError(error),
    );
  }

  /** Starts the loop if there is something to do, or makes a sleeping loop check now. */
  #wake(): void {
    if (this.#looping !== null) this.#sleep.wakeOrSkipNext();
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
      this.#readAtMs = clock.monotonic();
      const pauseMs = await this.#step();
      if (this.#isActive) await this.#sleep.sleep(clock, pauseMs);
      // Limits the loop to four iterations per second, however often it is woken.
      while (this.#isActive && !this.#isStarting && this.#pauseMs > 0) {
        await this.#sleep.sleep(clock, this.#pauseMs);
      }
    }
  }

  get #pauseMs(): number {
    return this.#readAtMs + APPEND_PAUSE_MS - this.#options.clock.monotonic();
  }

  /** Sends what is due, and resolves with the delay in milliseconds until the next step. */
  async #step(): Promise<number> {
    try {
      const run = this.#run;
      if (run === null) return await this.#showNothing();
      return await this.#showRun(run);
    } catch (error) {
      // Show the error and continue: the next read may succeed.
      this.#showError(error);
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
    if (this.#isStarting) post({ kind: "empty", settings: settings.current() });
    this.#isStarting = false;
    return IDLE_PAUSE_MS;
  }

  async #showRun(run: DashboardRun): Promise<number> {
    this.#transfer ??= new RunTransfer(this.#options, run);
    const transfer = this.#transfer;
    const reading = await transfer.read();
    // During the read, the page may have closed or switched to another run.
    if (!this.#isActive || transfer !== this.#transfer) return 0;
    if (await this.#isGone(run, reading.facts)) return this.#showGone(run);
    transfer.sendFacts(reading);
    if (this.#isStarting) this.#postOffer();
    this.#goneRun = null;
    this.#isStarting = false;
    this.#postTarget();
    const isComplete = transfer.sendColumns(this.#requested);
    await transfer.refreshAnswers();
    if (!isComplete) return APPEND_PAUSE_MS;
    const { isControllable, state } = reading.facts.run;
    const mayGrow = isControllable || !(hasEnded(state) || state === "unknown");
    return mayGrow ? LIVE_PAUSE_MS : IDLE_PAUSE_MS;
  }

  /** True if the run's folder was deleted or moved, so that nothing is left in it. */
  async #isGone(run: DashboardRun, { run: { state } }: RunFacts): Promise<boolean> {
    const { fileSystem } = this.#options;
    return state === "unknown" && (await fileSystem.list(run.follower.folder)).length === 0;
  }

  /** Reported once; if the folder comes back, the run is shown from the beginning. */
  async #showGone(run: DashboardRun): Promise<number> {
    const { post, runs, settings, shortenPath } = this.#options;
    this.#dropTransfer();
    const others = (await runs.list()).filter(({ id }) => id !== run.id);
    const isNew = this.#isStarting || this.#goneRun !== run.id;
    this.#isStarting = false;
    this.#goneRun = run.id;
    const folder = shortenPath(run.follower.folder);
    if (isNew) post({ kind: "gone", settings: settings.current(), folder, runs: others });
    return IDLE_PAUSE_MS;
  }

  #postOffer(): void {
    if (this.#offered === null || !this.#isActive) return;
    this.#options.post({ kind: "offer-run", run: this.#offered });
  }

  #postTarget(): void {
    if (this.#isSearchDue) this.#options.post({ kind: "open-search" });
    this.#isSearchDue = false;
    if (this.#target === null) return;
    const target = this.#target;
    this.#target = null;
    if ("alarm" in target) this.#options.post({ kind: "show-alarm", alarm: target.alarm });
    else {
      const { source, step, rollout } = target;
      this.#options.post({ kind: "open", source, step, rollout });
    }
  }

  #showError(error: unknown): void {
    const message = errorMessage(error);
    const { shortenPath } = this.#options;
    this.#postError(
      this.#run === null ? message : withShortFolder(message, this.#run, shortenPath),
    );
  }

  #postError(message: string): void {
    if (this.#isActive) this.#options.post({ kind: "error", id: null, message });
  }
}
