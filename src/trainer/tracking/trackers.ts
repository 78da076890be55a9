/** The services that a run reports to while it trains: OpenReward gets its rollouts, Weights & Biases its metrics. */

import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import type { RunFile } from "../../shared/runFile.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import type { ServiceAddressOptions } from "../services/serviceAddress.ts";
import type { Variables } from "../services/variables.ts";
import type { ReportContext } from "./reportContext.ts";
import { type RolloutUploads, startUploads } from "./upload.ts";
import { type UploadAddress, uploadAddress } from "./uploadAddress.ts";
import { startWandb, type WandbReport } from "./wandb.ts";
import { type WandbAddress, wandbAddress } from "./wandbAddress.ts";

export interface TrackerAddresses {
  /** Null if rollouts are not uploaded. */
  readonly upload: UploadAddress | null;
  /** Null if nothing is sent to Weights & Biases. */
  readonly wandb: WandbAddress | null;
}

/** The configured addresses; the redactor learns their keys. @throws AppError as the two addresses do */
export async function findTrackers(
  options: ServiceAddressOptions & { readonly redactor: Redactor },
): Promise<TrackerAddresses> {
  const upload = uploadAddress(options);
  const wandb = await wandbAddress(options);
  for (const address of [upload, wandb]) if (address !== null) options.redactor.learn(address.key);
  return { upload, wandb };
}

export interface TrackersOptions {
  readonly context: ReportContext;
  readonly addresses: TrackerAddresses;
  readonly variables: Variables;
  readonly file: Pick<RunFile, "runId" | "name" | "configPath" | "sweep">;
  /** The first step of this attempt. */
  readonly firstStep: number;
  /** Its Weights & Biases id from an earlier attempt; null = none. */
  readonly knownRunId: string | null;
  readonly cleanup: CleanupStack;
}

export interface RunTrackers {
  readonly uploads: RolloutUploads | null;
  readonly wandb: WandbReport | null;
  /** Passes progress to the trackers, then to the run's watcher. */
  readonly watch: Watcher;
}

/** Starts with what earlier attempts left unsent. */
export async function startTrackers(options: TrackersOptions): Promise<RunTrackers> {
  const { context, addresses, variables, file, firstStep, knownRunId, cleanup } = options;
  const common = { context, file, firstStep, cleanup };
  const uploads = await startUploads({ ...common, address: addresses.upload });
  const wandb = await startWandb({ ...common, address: addresses.wandb, variables, knownRunId });
  const { watch: ownWatch } = context.reporting;
  const uploading = uploads?.beside(ownWatch) ?? ownWatch;
  return { uploads, wandb, watch: wandb?.beside(uploading) ?? uploading };
}
