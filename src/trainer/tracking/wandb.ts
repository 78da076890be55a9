/** Reports a run to Weights & Biases while it trains: connects the tracker to the run and reports problems to the user. */

import { homedir } from "node:os";
import { basename } from "node:path";
import { errorMessage } from "../../core/errors.ts";
import type { HttpClient } from "../../core/ports.ts";
import { redactingRefusals } from "../../core/secrets/redaction/redactingPorts.ts";
import type { TrackerIntervals } from "../../core/tracking/wandb/run/runReporter.ts";
import { type TrackerOptions, WandbTracker } from "../../core/tracking/wandb/tracker.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import { recordWithoutWaiting } from "../../core/training/run/report.ts";
import { startHash } from "../../node/hash.ts";
import { createHttpClient } from "../../node/http.ts";
import type { RunFile } from "../../shared/runFile.ts";
import { USER_AGENT } from "../../shared/version.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import type { Variables } from "../services/variables.ts";
import type { ReportContext } from "./reportContext.ts";
import type { WandbAddress } from "./wandbAddress.ts";

export interface WandbReportOptions {
  readonly context: ReportContext;
  /** Null = offline: everything is stored in the run folder. */
  readonly address: WandbAddress | null;
  readonly variables: Variables;
  readonly file: Pick<RunFile, "name" | "configPath" | "sweep">;
  /** The first step of this attempt. */
  readonly firstStep: number;
  /** The id from an earlier attempt; null = none. */
  readonly knownRunId: string | null;
  readonly http: HttpClient;
  readonly intervals?: TrackerIntervals;
}

const MAX_TAG = 64;

/** Null if nothing is to be reported. Disk errors become warnings. */
export async function startWandb({
  cleanup,
  ...options
}: Omit<WandbReportOptions, "http"> & {
  readonly cleanup: CleanupStack;
}): Promise<WandbReport | null> {
  const { config } = options.context;
  const { watch, redactor } = options.context.reporting;
  if (config.wandb === "disabled") return null;
  const http = redactingRefusals(createHttpClient(), redactor);
  cleanup.add(() => http.close());
  try {
    const tracker = await startTracker({ ...options, http });
    cleanup.add(() => tracker.close());
    return new WandbReport(tracker, watch);
  } catch (error) {
    const reason = redactor.redact(errorMessage(error));
    watch({ kind: "warning", message: `Not reporting to Weights & Biases: ${reason}.` });
    return null;
  }
}

type ReportedTo = Pick<WandbTracker, "runId" | "rowWritten" | "configChanged" | "finish">;

export class WandbReport {
  readonly #tracker: ReportedTo;
  readonly #watch: Watcher;

  constructor(tracker: ReportedTo, watch: Watcher) {
    this.#tracker = tracker;
    this.#watch = watch;
  }

  get runId(): string {
    return this.#tracker.runId;
  }

  /** A watcher that handles each event and then passes it to `watch`. */
  beside(watch: Watcher): Watcher {
    return (event) => {
      if (event.kind === "step-finished" || event.kind === "batch-finished") {
        this.#tracker.rowWritten(event.step);
      }
      if (event.kind === "settings-changed") this.#tracker.configChanged();
      // The row of the final evaluation follows immediately.
      if (event.kind === "evaluated" && event.purpose === "end") {
        this.#tracker.rowWritten(event.step);
      }
      watch(event);
    };
  }

  /** Sends the rest within a time limit and finishes the run there; `signal` ends the wait. */
  async finish(exitCode: number, signal?: AbortSignal): Promise<void> {
    await this.#tracker.finish(exitCode, signal);
    this.#watch({ kind: "reporting", waiting: 0, isOver: true });
  }
}

function startTracker(options: WandbReportOptions): Promise<WandbTracker> {
  const { context, address, firstStep, knownRunId, http, intervals } = options;
  const { ports, reporting, storage, totalSteps } = context;
  return WandbTracker.start({
    fileSystem: storage.fileSystem,
    folder: storage.folder,
    clock: ports.clock,
    random: ports.random,
    sha256: ports.sha256,
    startHash,
    log: reporting.log,
    redactor: reporting.redactor,
    totalSteps,
    firstStep,
    knownRunId,
    homeFolder: homedir(),
    producer: USER_AGENT,
    report: callbacks(context),
    intervals,
    server: address && {
      http,
      baseUrl: address.baseUrl,
      appUrl: address.appUrl,
      apiKey: address.key,
    },
    init: runInit(options),
  });
}

/** The run's metadata from variables and configuration, cleaned of secrets. */
function runInit({
  context,
  address,
  variables,
  file,
}: WandbReportOptions): TrackerOptions["init"] {
  const { config, reporting } = context;
  const value = (name: string): string | null => variables(name)?.value ?? null;
  const clean = (text: string): string => reporting.redactor.redact(text);
  const cleaned = (name: string): string | null => {
    const text = value(name);
    return text === null ? null : clean(text);
  };
  const given = (value("WANDB_TAGS") ?? "").split(",").map((tag) => tag.trim());
  const tags = ["tinker-rl", config.model_name, ...Object.keys(config.environments), ...given];
  return {
    project: config.wandb_project_name ?? "uncategorized",
    entity: address?.entity ?? value("WANDB_ENTITY"),
    displayName: clean(config.wandb_run_name ?? file.name),
    isNameGiven: config.wandb_run_name !== null,
    group: file.sweep === undefined ? cleaned("WANDB_RUN_GROUP") : clean(file.sweep.name),
    jobType: "train",
    notes: cleaned("WANDB_NOTES"),
    tags: [...new Set(tags)].map((tag) => clean(tag).slice(0, MAX_TAG)).filter((tag) => tag !== ""),
    program: clean(basename(file.configPath)),
    platform: `${process.platform}-${process.arch}`,
  };
}

function callbacks({ control, reporting }: ReportContext): TrackerOptions["report"] {
  const { redactor, watch } = reporting;
  let left: number | null = null;
  const record = (level: "info" | "warn", kind: string, message: string): void =>
    recordWithoutWaiting(reporting, { step: null, level, kind, message, data: {} });
  return {
    opened: (place: string): void => {
      const message = `Weights & Biases: ${place}`;
      record("info", "wandb-opened", message);
      watch({ kind: "notice", message });
    },
    warning: (reported: string): void => {
      const message = redactor.redact(reported);
      record("warn", "wandb-trouble", message);
      watch({ kind: "warning", message });
    },
    recovered: (message: string): void => {
      record("info", "wandb-goes-on", message);
      watch({ kind: "notice", message });
    },
    draining: (waiting: number): void => {
      if (waiting !== left) watch({ kind: "reporting", waiting, isOver: false });
      left = waiting;
    },
    stopRequested: (): void => {
      const message = "Stop was pressed on the run's page at Weights & Biases.";
      record("info", "wandb-stop", message);
      watch({ kind: "notice", message: `${message} The run saves and ends.` });
      control.stop();
    },
  };
}
