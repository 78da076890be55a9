/** Uploads a run's rollouts to OpenReward while it trains: connects the spool to the run and reports problems to the user. */

import type { HttpClient } from "../../core/ports.ts";
import { keyText } from "../../core/secrets/keySource.ts";
import { redactingRefusals } from "../../core/secrets/redaction/redactingPorts.ts";
import { describeRollout } from "../../core/tracking/openreward/describeRollout.ts";
import { UploadBackoff } from "../../core/tracking/openreward/uploadBackoff.ts";
import { UploadClient } from "../../core/tracking/openreward/uploadClient.ts";
import { deliverRollout } from "../../core/tracking/openreward/uploadDelivery.ts";
import { type UploadProblem, UploadSpool } from "../../core/tracking/openreward/uploadSpool.ts";
import type { ProgressEvent, Watcher } from "../../core/training/run/progress.ts";
import { recordWithoutWaiting } from "../../core/training/run/report.ts";
import { createHttpClient } from "../../node/http.ts";
import { formatQuantity } from "../../shared/format.ts";
import type { RunFile } from "../../shared/runFile.ts";
import { PROGRAM_NAME, USER_AGENT, VERSION } from "../../shared/version.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import type { ReportContext } from "./reportContext.ts";
import type { UploadAddress } from "./uploadAddress.ts";

export interface UploadOptions {
  readonly context: ReportContext;
  readonly address: UploadAddress;
  readonly file: Pick<RunFile, "runId" | "name">;
  /** The first step of this attempt. */
  readonly firstStep: number;
  readonly http: HttpClient;
  /** The activity being uploaded: a run or a standalone evaluation. */
  readonly activity?: UploadActivity;
}

/** Words for messages. */
interface UploadActivity {
  readonly name: string;
  /** What uploads the rest later. */
  readonly again: string;
}

const RUN: UploadActivity = { name: "run", again: "a resume" };
export const EVALUATION: UploadActivity = { name: "evaluation", again: "the same command" };

/** Time for the rest after training; what remains is uploaded by a resume. */
const DRAIN_MS = {
  done: 10 * 60_000,
  stopped: 60_000,
  // The user is waiting for the reason.
  failed: 15_000,
} as const;
export type EndingKind = keyof typeof DRAIN_MS;
/** At the end, the wait stops if the service has accepted nothing for this long. */
const HOPELESS_AFTER_MS = 30_000;
/** Shorter outages at the end are not reported. */
const LINGERING_MS = 4_000;

/** Starts with what earlier attempts left unsent; null if nothing is to be uploaded. */
export async function startUploads({
  cleanup,
  address,
  ...options
}: Omit<UploadOptions, "http" | "address"> & {
  readonly address: UploadAddress | null;
  readonly cleanup: CleanupStack;
}): Promise<RolloutUploads | null> {
  if (address === null) return null;
  const http = redactingRefusals(createHttpClient(), options.context.reporting.redactor);
  const uploads = new RolloutUploads({ ...options, address, http });
  cleanup.add(async () => {
    await uploads.close();
    await http.close();
  });
  await uploads.opened;
  return uploads;
}

export class RolloutUploads {
  readonly #options: UploadOptions;
  readonly #spool: UploadSpool;
  readonly #backoff: UploadBackoff;
  #rollouts = 0;
  /** Kinds of problems already reported and still ongoing. */
  readonly #reported = new Set<string>();

  constructor(options: UploadOptions) {
    this.#options = options;
    const { address, http, firstStep, file, context } = options;
    const { config, ports, storage } = context;
    const { clock, random, sha256 } = ports;
    const { redactor } = context.reporting;
    const client = new UploadClient({
      http,
      clock,
      apiUrl: address.url,
      apiKey: address.key,
      userAgent: USER_AGENT,
    });
    this.#backoff = new UploadBackoff({
      clock,
      random,
      onOutage: (reason) => this.#reportOutage(reason),
      onDenied: (reason) => this.#reportDenial(reason),
      onRecovered: () => this.#reportRecovery(),
    });
    const settings = {
      sha256,
      config,
      runId: file.runId,
      runName: redactor.redact(config.openreward_run_name ?? file.name),
      framework: [PROGRAM_NAME, VERSION],
    } as const;
    this.#spool = new UploadSpool({
      fileSystem: storage.fileSystem,
      clock,
      folder: storage.folder,
      attempt: storage.attempt,
      firstStep,
      sources: {
        training: config.openreward_upload,
        evaluations: config.openreward_upload_evaluations,
      },
      // Redacted again, because this attempt may know secrets that the one that wrote the record did not.
      describe: (record, use, suffix) =>
        describeRollout(
          redactor.redactRecord(record),
          redactor.redactRecord(use),
          settings,
          suffix,
        ),
      deliver: (rollout, options) =>
        deliverRollout({ client, backoff: this.#backoff }, rollout, options),
      onOutage: (trouble) => this.#reportFailure(trouble),
    });
  }

  /** Resolves when the spool is open. */
  get opened(): Promise<void> {
    return this.#spool.opened;
  }

  /** A watcher that handles each event and then passes it to `watch`. */
  beside(watch: Watcher): Watcher {
    return (event) => {
      this.#onProgress(event);
      watch(event);
    };
  }

  #onProgress(event: ProgressEvent): void {
    if (event.kind === "step-started") this.#rollouts = event.rollouts;
    if (event.kind === "step-finished") this.#spool.stepScored(event.step, this.#rollouts);
    if (event.kind === "evaluated") this.#spool.evaluationEnded(event);
  }

  /** Sends the rest within a time that depends on why the run ends; `signal` ends the wait early. */
  async drain(after: EndingKind, signal?: AbortSignal): Promise<void> {
    const { watch } = this.#options.context.reporting;
    const backoff = this.#backoff;
    backoff.retryNow();
    let reported: number | null = null;
    const waiting = await this.#spool.drain({
      limitMs: DRAIN_MS[after],
      shouldGiveUp: () => backoff.isDenied || (backoff.outage?.forMs ?? 0) > HOPELESS_AFTER_MS,
      onProgress: (left) => {
        if (left !== reported) watch({ kind: "uploading", waiting: left, isOver: false });
        reported = left;
        if ((backoff.outage?.forMs ?? 0) > LINGERING_MS) this.#explainWait();
      },
      signal,
    });
    if (waiting > 0) this.#explainWait();
    if (waiting > 0 || reported !== null) watch({ kind: "uploading", waiting, isOver: true });
    if (waiting === 0) return;
    const message = `${formatQuantity(waiting, "rollout is", "rollouts are")} not uploaded to OpenReward yet; ${this.#activity.again} uploads them.`;
    this.#record("warn", "upload-left", message, waiting);
  }

  close(): Promise<void> {
    return this.#spool.close();
  }

  get #activity(): UploadActivity {
    return this.#options.activity ?? RUN;
  }

  /** Reports why the wait at the end continues, once. */
  #explainWait(): void {
    const { outage: trouble } = this.#backoff;
    if (trouble === null || this.#reported.has("upload-waits")) return;
    this.#warn("upload-waits", `OpenReward does not accept rollouts (${trouble.reason}).`);
  }

  #reportOutage(reason: string): void {
    const { name, again } = this.#activity;
    const message = `OpenReward does not accept rollouts (${reason}). The ${name} continues; they are uploaded when it does, at the latest by ${again}.`;
    this.#warn("upload-waits", message);
  }

  #reportDenial(reason: string): void {
    const key = keyText(this.#options.address.keySource);
    const { name, again } = this.#activity;
    const message = `OpenReward accepts no rollouts (${reason}). The ${name} continues; check ${key} and the address, then ${again} uploads them.`;
    this.#warn("upload-denied", message);
  }

  #reportFailure({ kind, reason: reported }: UploadProblem): void {
    const reason = reported.replace(/\.$/, "");
    const { name, again } = this.#activity;
    const message =
      kind === "refused"
        ? `OpenReward refused a rollout (${reason}). Others are uploaded; ${again} retries it.`
        : `No more rollouts are uploaded to OpenReward (${reason}). The ${name} continues; ${again} uploads them.`;
    this.#warn(`upload-${kind}`, message);
  }

  #reportRecovery(): void {
    const message = "OpenReward accepts rollouts again.";
    this.#record("info", "upload-goes-on", message);
    this.#options.context.reporting.watch({ kind: "notice", message });
    for (const kind of ["upload-waits", "upload-denied"]) this.#reported.delete(kind);
  }

  #warn(kind: string, reported: string): void {
    const { redactor, watch } = this.#options.context.reporting;
    const message = redactor.redact(reported);
    this.#record("warn", kind, message);
    if (!this.#reported.has(kind)) watch({ kind: "warning", message });
    this.#reported.add(kind);
  }

  #record(
    level: "info" | "warn",
    kind: string,
    message: string,
    waiting = this.#spool.waiting,
  ): void {
    const event = { step: null, level, kind, message, data: { waiting } };
    recordWithoutWaiting(this.#options.context.reporting, event);
  }
}
