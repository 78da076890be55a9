/** Reports the next part of a run and advances the cursor; shared by online and offline delivery. */

import { formatReward } from "../../../../shared/format.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import type {
  Clock,
  FolderFiles,
  HttpClient,
  Log,
  Random,
  Sha256,
  StartHash,
} from "../../../ports.ts";
import { readCheckpoints } from "../../../runFolder/checkpointLog.ts";
import { type EvaluationEntry, readEvaluations } from "../../../runFolder/evaluationLog.ts";
import { runPaths } from "../../../runFolder/files/layout.ts";
import { MAX_BYTES } from "../../../runFolder/files/wholeFiles.ts";
import type { SyncCursor } from "../../../runFolder/wandbState.ts";
import type { Redactor } from "../../../secrets/redaction/redactor.ts";
import { parseJson } from "../../../util/jsonl.ts";
import type { OutageNotice } from "../../../util/outageNotice.ts";
import type { WakeableSleep } from "../../../util/wakeableSleep.ts";
import { checkpointArtifact } from "./checkpointArtifact.ts";
import type { ExtendedValue } from "./extendedJson.ts";
import type { RunFeed } from "./runFeed.ts";
import type { RunSummary } from "./runSummary.ts";
import type { SyncMode, SyncState } from "./syncState.ts";
import type { Table } from "./tableFile.ts";
import type { WandbRun, WandbRunInit } from "./wandbRun.ts";

/** The server that a run is sent to. */
export interface WandbServer {
  readonly http: HttpClient;
  readonly baseUrl: string;
  /** Address of the web app; null = derived from the base URL. */
  readonly appUrl: string | null;
  readonly apiKey: string;
}

/** Messages for the user, and a stop from the run's page. */
interface TrackerCallbacks {
  /** The run's page or file was created. */
  readonly opened: (message: string) => void;
  /** A problem that may last. */
  readonly warning: (message: string) => void;
  /** The problem is over. */
  readonly recovered: (message: string) => void;
  /** Number of rows to send at the end of the run. */
  readonly draining: (rows: number) => void;
  /** Someone pressed Stop on the run's page. */
  readonly stopRequested: () => void;
}

/** In milliseconds. */
export interface TrackerIntervals {
  /** Between deliveries. */
  readonly gapMs: number;
  /** A heartbeat is sent after this long without data. */
  readonly heartbeatMs: number;
}

export interface TrackerDeliveryOptions extends RunConfigOptions {
  readonly fileSystem: FolderFiles;
  readonly clock: Clock;
  readonly random: Random;
  readonly sha256: Sha256;
  readonly startHash: StartHash;
  readonly log: Log;
  readonly syncState: SyncState;
  readonly feed: RunFeed;
  readonly outage: OutageNotice;
  readonly report: TrackerCallbacks;
  readonly idleSleep: WakeableSleep;
  /** Name and version of this program, shown with the reports. */
  readonly producer: string;
  readonly intervals: TrackerIntervals;
  /** Without the configuration. */
  readonly init: Omit<WandbRunInit, "config">;
  /** Null = endless. */
  readonly totalSteps: number | null;
  /** Ends the delivery immediately. */
  readonly signal: AbortSignal;
  /** Aborted when the run ends; from then on deliveries do not wait. */
  readonly ending: AbortSignal;
  /** Null until the end. */
  readonly exitCode: () => number | null;
}

/** The run's progress once everything sent so far has arrived. */
export interface DeliveryProgress {
  readonly runSummary: Pick<RunSummary, "nextStep" | "runtimeS">;
  readonly cursor: Partial<SyncCursor>;
}

const EVALUATIONS = "evaluations";
/** The configuration as the user wrote it. */
export const CONFIG_FILE = "tinker-config.yaml";

export class RunReporter {
  readonly #options: TrackerDeliveryOptions;
  readonly #mode: SyncMode;
  /** False from a configuration change until it is read for sending. */
  #isConfigCurrent = false;
  #saveEvery = 0;
  /** Size of `eval/results.jsonl` whose table has arrived. */
  #evaluated = 0;
  /** Size of `checkpoints.jsonl` when last read. */
  #savesRead = 0;
  /** Names of the checkpoints that the page has, or that will never be sent. */
  readonly #saves = new Set<string>();

  constructor(options: TrackerDeliveryOptions, mode: SyncMode) {
    this.#options = options;
    this.#mode = mode;
  }

  /** Makes the next delivery read the configuration again. */
  forgetConfig(): void {
    this.#isConfigCurrent = false;
  }

  /** Number of this attempt's rows that are not sent yet. */
  get waiting(): number {
    return this.#options.feed.waiting(this.#options.syncState.confirmed(this.#mode));
  }

  /** Reads the current configuration to send, with its text as {@link CONFIG_FILE}. @throws AppError `file-not-found`, `file-unreadable` */
  async readConfig(): Promise<RunConfig> {
    // Set before reading, so that a change during the read triggers another one.
    this.#isConfigCurrent = true;
    const read = await readRunConfig(this.#options);
    this.#saveEvery = read.saveEvery;
    return read;
  }

  /** Sends the next part and waits until it has arrived. False if there is nothing to send. */
  async reportNext(run: WandbRun, progressAfter: () => DeliveryProgress): Promise<boolean> {
    const { syncState, feed, totalSteps } = this.#options;
    if (!this.#isConfigCurrent) {
      const { config, text } = await this.readConfig();
      run.updateConfig(config);
      await run.addFile(CONFIG_FILE, text);
    }
    await this.#reportCheckpoints(run);
    const evaluated = await this.#reportEvaluations(run);
    const before = syncState.confirmed(this.#mode);
    const after = await feed.report(run, before, { saveEvery: this.#saveEvery, totalSteps });
    if (after === null) {
      await run.flush();
      this.#evaluated = evaluated;
      return false;
    }
    const { runSummary, cursor } = progressAfter();
    const reached = {
      ...after,
      step: runSummary.nextStep,
      runtimeS: runSummary.runtimeS,
      ...cursor,
    };
    await syncState.setPending(this.#mode, reached);
    await run.flush();
    await syncState.confirm(this.#mode, reached);
    this.#evaluated = evaluated;
    return true;
  }

  /** Reports addresses of permanent saves. The server recognizes those of earlier attempts by digest. */
  async #reportCheckpoints(run: WandbRun): Promise<void> {
    const { fileSystem, folder, init, startHash } = this.#options;
    const size = (await fileSystem.size(runPaths(folder).checkpoints)) ?? 0;
    if (size === this.#savesRead) return;
    for (const entry of await readCheckpoints(fileSystem, folder)) {
      const { name, kind, expires_at } = entry;
      if (kind === "rolling" || expires_at !== null || this.#saves.has(name)) continue;
      const artifact = checkpointArtifact(init.id, entry, startHash);
      if (artifact !== null) await run.addArtifact(artifact);
      this.#saves.add(name);
    }
    this.#savesRead = size;
  }

  /** Puts a table of all evaluations into the summary if there are new ones. Returns the size of their file that it covers. */
  async #reportEvaluations(run: WandbRun): Promise<number> {
    const { fileSystem, folder } = this.#options;
    const size = (await fileSystem.size(runPaths(folder).evaluations)) ?? 0;
    if (size === this.#evaluated) return size;
    const evaluations = await readEvaluations(fileSystem, folder);
    const table = evaluationTable(this.#options.redactor.redactRecord(evaluations));
    const cell = await run.addTable(EVALUATIONS, table, evaluations.length);
    if (cell !== null) run.updateSummary({ [EVALUATIONS]: cell });
    return size;
  }
}

const COLUMNS = [
  "step",
  "purpose",
  "environment",
  "split",
  "temperature",
  "tasks",
  "rollouts",
  "reward_mean",
  "ci_low",
  "ci_high",
  "change",
  "change_low",
  "change_high",
  "success_frac",
  "pass_at_k",
];

/** One row per environment, split and temperature of each evaluation, in the order they ended. */
function evaluationTable(evaluations: readonly EvaluationEntry[]): Table {
  return { columns: COLUMNS, data: evaluations.flatMap(rows) };
}

function rows({ step, purpose, results }: EvaluationEntry): Table["data"] {
  return results.map((result): readonly ExtendedValue[] => [
    ...[step, purpose, result.environment, result.split, result.temperature],
    ...[result.tasks, result.rollouts, result.rewardMean, result.low, result.high],
    ...[result.difference?.mean ?? null, result.difference?.low ?? null],
    ...[result.difference?.high ?? null, result.successFraction],
    result.passAtK.map(({ k, mean }) => `${formatReward(mean)} @${k}`).join(", "),
  ]);
}

interface RunConfigOptions {
  readonly fileSystem: FolderFiles;
  readonly redactor: Redactor;
  /** The run folder. */
  readonly folder: string;
  /** The user's home folder, whose path may contain the user name; null = unknown. */
  readonly homeFolder: string | null;
}

interface RunConfig {
  /** With all defaults. */
  readonly config: JsonObject;
  /** As the user wrote it. */
  readonly text: string;
  readonly saveEvery: number;
}

/** @throws AppError `file-not-found`, `file-unreadable` */
async function readRunConfig(options: RunConfigOptions): Promise<RunConfig> {
  const { fileSystem, folder, redactor, homeFolder } = options;
  const paths = runPaths(folder);
  const withoutHome = (text: string): string =>
    homeFolder === null || homeFolder.length < 2 ? text : text.replaceAll(homeFolder, "~");
  const resolved = await fileSystem.readText(paths.resolvedConfig, MAX_BYTES.resolvedConfig);
  const inText = homeFolder === null ? "" : JSON.stringify(homeFolder).slice(1, -1);
  const value = parseJson(inText === "" ? resolved : resolved.replaceAll(inText, "~"))?.value;
  const config = isJsonObject(value) ? value : {};
  const { save_every } = config;
  return {
    config: redactor.redactRecord(config),
    text: withoutHome(redactor.redact(await fileSystem.readText(paths.config, MAX_BYTES.config))),
    saveEvery: typeof save_every === "number" ? save_every : 0,
  };
}
