/** What sending at once and filing for later have in common: the next piece of what there is to tell, and its place. */

import type { Clock, FolderFiles, HttpClient, Log, Random, Sha256 } from "../../ports.ts";
import type { SyncCursor } from "../../runFolder/wandbState.ts";
import type { OutageNotice } from "../../util/outageNotice.ts";
import type { WakeableSleep } from "../../util/wakeableSleep.ts";
import type { ExtendedObject } from "./extendedJson.ts";
import { type RunConfig, type RunConfigOptions, readRunConfig } from "./runConfig.ts";
import type { RunFeed } from "./runFeed.ts";
import type { RunSummary } from "./runSummary.ts";
import type { SyncMode, SyncState } from "./syncState.ts";
import type { WandbRun, WandbRunInit } from "./wandbRun.ts";

/** Where a run is sent. */
export interface WandbServer {
  readonly http: HttpClient;
  readonly baseUrl: string;
  /** Address of the pages; null = as the base URL says. */
  readonly appUrl: string | null;
  readonly apiKey: string;
}

/** What people are told. */
export interface TrackerCallbacks {
  /** The run has a page, or a file. */
  readonly opened: (message: string) => void;
  /** Something is wrong that may last. */
  readonly warning: (message: string) => void;
  /** The trouble is over. */
  readonly recovered: (message: string) => void;
  /** Rows that are left when the end has come. */
  readonly draining: (rows: number) => void;
  /** Somebody pressed Stop on the run's page. */
  readonly stopRequested: () => void;
}

/** In milliseconds. */
export interface TrackerWaits {
  /** Between two deliveries. */
  readonly gapMs: number;
  /** Without news a sign of life comes after this. */
  readonly heartbeatMs: number;
}

export interface TrackerDeliveryOptions extends RunConfigOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly log: Log;
  readonly syncState: SyncState;
  readonly feed: RunFeed;
  readonly outage: OutageNotice;
  readonly report: TrackerCallbacks;
  readonly news: WakeableSleep;
  /** Name and version of this program, for those who read what it has told. */
  readonly producer: string;
  readonly waits: TrackerWaits;
  /** Without the configuration. */
  readonly init: Omit<WandbRunInit, "config">;
  /** Null = endless. */
  readonly totalSteps: number | null;
  /** Gives everything up. */
  readonly signal: AbortSignal;
  /** The end has come. */
  readonly ending: AbortSignal;
  /** Null until the end. */
  readonly exitCode: () => number | null;
}

/** Where the run will stand once everything sent so far has arrived. */
export interface Reach {
  readonly runSummary: Pick<RunSummary, "nextStep" | "runtimeS">;
  readonly place: Partial<SyncCursor>;
}

const CONFIG_FILE = "tinker-config.yaml";

export class RunReporter {
  readonly #options: TrackerDeliveryOptions;
  readonly #mode: SyncMode;
  #config: RunConfig | null = null;
  #results: ExtendedObject = {};

  constructor(options: TrackerDeliveryOptions, mode: SyncMode) {
    this.#options = options;
    this.#mode = mode;
  }

  /** The configuration is read again before the next piece. */
  forgetConfig(): void {
    this.#config = null;
  }

  /** For the summary, with the next piece: what no row tells. */
  addResults(values: ExtendedObject): void {
    this.#results = { ...this.#results, ...values };
  }

  /** Rows of this attempt that are not told yet. */
  get waiting(): number {
    return this.#options.feed.waiting(this.#options.syncState.confirmed(this.#mode));
  }

  async config(): Promise<RunConfig> {
    this.#config ??= await readRunConfig(this.#options);
    return this.#config;
  }

  /** Tells the next piece and waits until it has arrived. False when there is nothing to tell. */
  async reportNext(run: WandbRun, reach: () => Reach): Promise<boolean> {
    const { syncState, feed, totalSteps } = this.#options;
    if (this.#config === null) {
      run.updateConfig((await this.config()).config);
      await this.reportConfigFile(run);
    }
    const { saveEvery } = await this.config();
    const results = this.#results;
    if (Object.keys(results).length > 0) run.updateSummary(results);
    const before = syncState.confirmed(this.#mode);
    const after = await feed.report(run, before, { saveEvery, totalSteps });
    if (after === null) {
      await run.flush();
      this.#forgetResults(results);
      return false;
    }
    const { runSummary, place } = reach();
    const reached = {
      ...after,
      step: runSummary.nextStep,
      runtimeS: runSummary.runtimeS,
      ...place,
    };
    await syncState.intend(this.#mode, reached);
    await run.flush();
    await syncState.confirm(this.#mode, reached);
    this.#forgetResults(results);
    return true;
  }

  /** Forgets the values that were sent, unless others came meanwhile: then all are sent once more. */
  #forgetResults(reported: ExtendedObject): void {
    if (this.#results === reported) this.#results = {};
  }

  /** The file that the user wrote. */
  async reportConfigFile(run: WandbRun): Promise<void> {
    await run.addFile(CONFIG_FILE, (await this.config()).text);
  }
}
