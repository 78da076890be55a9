/** Reports a run to W&B while it is running; reporting can neither delay nor fail the run. */

import { AppError, errorMessage, isAppError } from "../../errors.ts";
import type { Random } from "../../ports.ts";
import { type Doubling, doubledMs } from "../../util/backoff.ts";
import { OutageNotice } from "../../util/outageNotice.ts";
import { sleepUntilAborted, WakeableSleep } from "../../util/wakeableSleep.ts";
import { deploymentOf } from "./login/deployment.ts";
import { OfflineDelivery } from "./offline/offlineDelivery.ts";
import { OnlineDelivery } from "./online/onlineDelivery.ts";
import { RunFeed } from "./run/runFeed.ts";
import type { TrackerDeliveryOptions, TrackerIntervals, WandbServer } from "./run/runReporter.ts";
import { SyncState } from "./run/syncState.ts";
import type { WandbRunInit } from "./run/wandbRun.ts";

type SharedOptions = Pick<
  TrackerDeliveryOptions,
  | "fileSystem"
  | "clock"
  | "random"
  | "sha256"
  | "startHash"
  | "log"
  | "redactor"
  | "folder"
  | "homeFolder"
  | "report"
  | "producer"
  | "totalSteps"
>;

export interface TrackerOptions extends SharedOptions {
  /** Null = write everything to files in the run folder, for `wandb sync`. */
  readonly server: WandbServer | null;
  readonly init: Omit<WandbRunInit, "id" | "config">;
  /** The id from an earlier attempt whose `wandb.json` is lost; null if there is none. */
  readonly knownRunId: string | null;
  /** First step of this attempt. */
  readonly firstStep: number;
  readonly intervals?: TrackerIntervals | undefined;
}

/** The official client's intervals: `docs/protocols/wandb.md#file-stream`. */
const INTERVALS: TrackerIntervals = { gapMs: 15_000, heartbeatMs: 30_000 };
/** Time limit for sending the rest at the end of a run. */
const DRAIN_MS = 60_000;
/** At the end, give up on a service that has not answered for this long. */
const UNREACHABLE_MS = 10_000;
const CHECK_MS = 1_000;
/** Every fifth check reports what the end of the run is waiting for. */
const CHECKS_PER_REPORT = 5;
const REOPEN: Doubling = { firstMs: 60_000, maxMs: 600_000 };
const ID_LENGTH = 8;

export class WandbTracker {
  /** The last part of the run's address. */
  readonly runId: string;
  readonly #options: TrackerOptions;
  readonly #syncState: SyncState;
  readonly #feed: RunFeed;
  readonly #outage: OutageNotice;
  readonly #idleSleep = new WakeableSleep();
  readonly #delivery: OnlineDelivery | OfflineDelivery;
  readonly #giveUp = new AbortController();
  readonly #ending = new AbortController();
  readonly #done: Promise<void>;
  #exitCode: number | null = null;
  #isComplete = false;

  private constructor(options: TrackerOptions, syncState: SyncState) {
    this.#options = options;
    this.#syncState = syncState;
    this.runId = syncState.runId;
    this.#feed = new RunFeed(options);
    this.#outage = new OutageNotice({
      clock: options.clock,
      onOutage: (reason) => this.#warn(`Weights & Biases cannot be reached (${reason}).`),
      onRecovered: () => options.report.recovered("Weights & Biases accepts the run again."),
    });
    const delivery: TrackerDeliveryOptions = {
      ...options,
      syncState,
      feed: this.#feed,
      outage: this.#outage,
      idleSleep: this.#idleSleep,
      init: { ...options.init, id: syncState.runId },
      intervals: options.intervals ?? INTERVALS,
      signal: this.#giveUp.signal,
      ending: this.#ending.signal,
      exitCode: () => this.#exitCode,
    };
    this.#delivery =
      options.server === null
        ? new OfflineDelivery(delivery)
        : new OnlineDelivery(delivery, options.server);
    this.#done = this.#deliver();
  }

  /** Starts in the background, so an unreachable server does not matter here. @throws AppError `disk` */
  static async start(options: TrackerOptions): Promise<WandbTracker> {
    const { fileSystem, folder, firstStep, server, init, knownRunId } = options;
    const { entity, project } = init;
    const deployment = server === null ? null : deploymentOf(server.baseUrl);
    const syncState = await SyncState.open({
      fileSystem,
      folder,
      firstStep,
      identity: { deployment, entity, project },
      knownRunId,
      newRunId: newRunId(options.random),
    });
    return new WandbTracker(options, syncState);
  }

  /** Call when the row of `step` was written. */
  rowWritten(step: number): void {
    this.#feed.rowWritten(step);
    this.#idleSleep.wakeOrSkipNext();
  }

  /** Call when the run's settings changed. */
  configChanged(): void {
    this.#delivery.reporter.forgetConfig();
    this.#idleSleep.wakeOrSkipNext();
  }

  /**
   * Sends the rest and ends the run with `exitCode` (0 for success), within a time limit or until `signal` aborts; the next
   * attempt sends whatever remains. Never rejects.
   */
  async finish(exitCode: number, signal?: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const giveUp = (): void => this.#giveUp.abort(giveUpError());
    this.#exitCode = exitCode;
    this.#ending.abort();
    this.#idleSleep.wakeOrSkipNext();
    if (signal?.aborted) giveUp();
    signal?.addEventListener("abort", giveUp);
    const cancelLimit = clock.after(DRAIN_MS, giveUp);
    const cancelChecks = this.#watchTheEnd(giveUp);
    await this.#done;
    signal?.removeEventListener("abort", giveUp);
    cancelLimit();
    cancelChecks();
    if (!this.#isComplete) this.#reportRemaining();
  }

  #reportRemaining(): void {
    const { outage } = this.#outage;
    const why = outage === null ? "" : ` (${outage.reason})`;
    this.#options.report.warning(
      `Not everything was sent to Weights & Biases${why}. The rest stays in the run folder and is sent when the run is resumed.`,
    );
  }

  #warn(what: string): void {
    this.#options.report.warning(
      `${what} The run continues. Unsent data stays in its folder and is sent later.`,
    );
  }

  /** Ends without sending anything more. */
  async close(): Promise<void> {
    this.#giveUp.abort(giveUpError());
    this.#ending.abort();
    this.#idleSleep.wakeOrSkipNext();
    await this.#done;
  }

  /** Reports how many rows the end of the run is waiting for, and gives up soon if the service does not answer. */
  #watchTheEnd(giveUp: () => void): () => void {
    const { clock, report, server } = this.#options;
    const isSending = server !== null;
    const unreachableMs = clock.monotonic() + UNREACHABLE_MS;
    let checks = 0;
    let cancel = (): void => undefined;
    const check = (): void => {
      if (isSending && checks % CHECKS_PER_REPORT === 0)
        report.draining(this.#delivery.reporter.waiting);
      checks += 1;
      // It may have recovered since the last try.
      if (clock.monotonic() >= unreachableMs && (this.#outage.outage?.forMs ?? 0) >= UNREACHABLE_MS)
        giveUp();
      cancel = clock.after(CHECK_MS, check);
    };
    cancel = clock.after(CHECK_MS, check);
    return () => cancel();
  }

  async #deliver(): Promise<void> {
    for (let failures = 0; !this.#giveUp.signal.aborted; failures += 1) {
      const isLastTry = this.#ending.signal.aborted;
      try {
        await this.#delivery.run();
        await this.#syncState.end();
        this.#isComplete = true;
        return;
      } catch (error) {
        if (this.#giveUp.signal.aborted) return;
        this.#options.log.warn("W&B: the delivery failed", { reason: errorMessage(error) });
        this.#outage.failed(errorMessage(error));
        this.#outage.report((refusal) => this.#warn(refusal), refusalText(error));
        if (isLastTry) return;
      }
      await sleepUntilAborted(
        this.#options.clock,
        doubledMs(REOPEN, failures),
        this.#ending.signal,
      );
    }
  }
}

/** Letters and digits from a random UUID. */
function newRunId(random: Random): string {
  const number = BigInt(`0x${random.uuid().replaceAll("-", "")}`);
  return number.toString(36).padStart(ID_LENGTH, "0").slice(-ID_LENGTH);
}

function refusalText(error: unknown): string {
  const reason = errorMessage(error);
  if (!isAppError(error, "wandb-refused")) return `Not reporting to Weights & Biases: ${reason}.`;
  return `Weights & Biases refuses this run (${reason}). Check WANDB_API_KEY, WANDB_ENTITY and wandb_project_name.`;
}

function giveUpError(): AppError {
  return new AppError("wandb-gave-up", "The time to send the rest is over.");
}
