/** Sends a run to W&B while it is running: at intervals, with heartbeats, from the position that the server reports. */

import type { SyncCursor } from "../../../runFolder/wandbState.ts";
import { sleepUntilAborted } from "../../../util/wakeableSleep.ts";
import { runPageUrl } from "../login/deployment.ts";
import {
  CONFIG_FILE,
  type DeliveryProgress,
  RunReporter,
  type TrackerDeliveryOptions,
  type WandbServer,
} from "../run/runReporter.ts";
import { START_CURSOR } from "../run/syncState.ts";
import { type OnlineRun, openOnlineRun } from "./onlineRun.ts";
import { WandbRequests } from "./requests.ts";

export class OnlineDelivery {
  readonly #options: TrackerDeliveryOptions;
  readonly #server: WandbServer;
  readonly #reporter: RunReporter;
  #isOpened = false;
  #isWarned = false;
  /** A stop from an earlier attempt stays set on the page; then a stop counts only after it was seen off. */
  #wasStopSeenOff = false;
  #isStopped = false;

  constructor(options: TrackerDeliveryOptions, server: WandbServer) {
    this.#options = options;
    this.#server = server;
    this.#reporter = new RunReporter(options, "online");
  }

  get reporter(): Pick<RunReporter, "forgetConfig" | "waiting"> {
    return this.#reporter;
  }

  /** Resolves when everything is sent and the run has ended. @throws AppError `wandb-refused`, `disk`; the signal's reason */
  async run(): Promise<void> {
    const run = await this.#open();
    const { ending, intervals, clock, exitCode, signal, outage } = this.#options;
    const progress = (): DeliveryProgress => ({ runSummary: run.runSummary, cursor: run.counts });
    for (;;) {
      signal.throwIfAborted();
      await sleepUntilAborted(clock, run.lastSentMs + intervals.gapMs - clock.monotonic(), ending);
      const hasReported = await this.#reporter.reportNext(run, progress);
      if (hasReported) outage.recovered();
      const code = exitCode();
      if (!hasReported && code !== null) return run.finish(code);
      if (!hasReported) await this.#idle(run);
    }
  }

  async #idle(run: OnlineRun): Promise<void> {
    const { idleSleep, intervals, clock } = this.#options;
    const restMs = (): number => run.lastSentMs + intervals.heartbeatMs - clock.monotonic();
    if (restMs() > 0) await idleSleep.sleep(clock, restMs());
    if (restMs() > 0 || this.#options.exitCode() !== null) return;
    await run.heartbeat();
  }

  async #open(): Promise<OnlineRun> {
    const { clock, sha256, random, init } = this.#options;
    const { config, text } = await this.#reporter.readConfig();
    const run = await openOnlineRun(
      {
        clock,
        sha256,
        random,
        requests: this.#requests(),
        onStopFlag: (isStopped) => this.#markStopHandled(isStopped),
        onWarning: (message) => this.#warn(message),
      },
      { ...init, config },
    );
    await this.#options.syncState.confirm("online", this.#startCursor(run));
    await run.addFile(CONFIG_FILE, text);
    if (!this.#isOpened) this.#options.report.opened(this.#pageOf(run));
    this.#isOpened = true;
    return run;
  }

  /** Warns only once: a server that rejects files would otherwise cause a warning for every table. */
  #warn(message: string): void {
    const { log, report } = this.#options;
    log.warn(`W&B: ${message}`);
    if (!this.#isWarned) report.warning(`Weights & Biases: ${message}.`);
    this.#isWarned = true;
  }

  #requests(): WandbRequests {
    const { clock, random, signal, ending, outage, producer } = this.#options;
    return new WandbRequests({
      ...this.#server,
      clock,
      random,
      signal,
      retryNow: ending,
      userAgent: producer,
      onOutage: (reason) => outage.failed(reason),
      onAnswer: () => outage.answered(),
    });
  }

  #pageOf({ names }: OnlineRun): string {
    const { baseUrl, appUrl } = this.#server;
    const { entity, project, name } = names;
    return runPageUrl(baseUrl, appUrl, { entity, project, run: name });
  }

  /** Chooses between the two cursors in the run folder by the server's counts: `docs/protocols/wandb.md#resume`. */
  #startCursor({ found, lastRow }: OnlineRun): SyncCursor {
    const confirmed = this.#options.syncState.confirmed("online");
    const pending = this.#options.syncState.pending("online");
    const hasArrived =
      pending !== null &&
      found.history === pending.history &&
      (pending.history > confirmed.history || found.log >= pending.log);
    const known = hasArrived ? pending : confirmed;
    if (found.history === known.history) return { ...known, ...found };
    if (found.history === 0) return { ...START_CURSOR, ...found };
    // Rows were added or removed by something else, for example `wandb sync`; the last row has the last step.
    const last = lastRow?.["step"];
    const next = typeof last === "number" && Number.isInteger(last) ? last + 1 : known.next;
    return { ...known, ...found, next };
  }

  #markStopHandled(isStopped: boolean): void {
    const { syncState, report, outage } = this.#options;
    if (!isStopped) this.#wasStopSeenOff = true;
    if (!isStopped || this.#isStopped) return;
    if (syncState.isStopHandled && !this.#wasStopSeenOff) return;
    this.#isStopped = true;
    syncState.markStopHandled().catch((error: unknown) => outage.failed(String(error)));
    report.stopRequested();
  }
}
