/** What an account has at a Tinker server, without any session: models that are offered, runs, checkpoints. */

import { type BilledUsage, type BillingPeriod, readBilled } from "./billing.ts";
import {
  type Checkpoint,
  type CheckpointClient,
  checkpointsOf,
  createCheckpointClient,
} from "./checkpoints.ts";
import { openTinker } from "./openTinker.ts";
import { capabilities, type SupportedModel, type TinkerOptions } from "./serviceClient.ts";
import { checkpointListSchema, trainingRunListSchema } from "./wire/wire.ts";

/** A model that was trained, as the server remembers it. */
export interface TrainedRun {
  /** The part of a checkpoint's path behind `tinker://`. */
  readonly id: string;
  readonly baseModel: string | null;
  readonly loraRank: number | null;
  readonly userMetadata: Readonly<Record<string, unknown>>;
}

/** All calls fail with AppError `tinker-*`; a person waits for them, so they wait for no bill. */
export interface TinkerAccount extends CheckpointClient {
  /** Null from a server that does not list them. @throws AppError also `config-address-invalid`, where there is no Tinker server at all */
  models(): Promise<readonly SupportedModel[] | null>;
  /** The newest; at most `limit`. */
  runs(limit: number): Promise<readonly TrainedRun[]>;
  /** Lists those of all runs, the newest first, at most `limit`. */
  checkpoints(limit: number): Promise<readonly Checkpoint[]>;
  /** See {@link readBilled}. */
  billed(sessions: ReadonlySet<string>, period: BillingPeriod): Promise<BilledUsage>;
}

/** @throws AppError `tinker-auth` for a key the hosted service cannot know, and `tinker-*` as all calls do */
export async function openAccount(
  options: Pick<
    TinkerOptions,
    | "http"
    | "clock"
    | "random"
    | "log"
    | "baseUrl"
    | "apiKey"
    | "keySource"
    | "addressSource"
    | "onToken"
  >,
): Promise<TinkerAccount> {
  const { tinker, hasConfig } = await openTinker({ ...options, waitsForBills: "none" });
  return {
    ...createCheckpointClient(tinker),
    models: () => capabilities(tinker, { hasConfig, options, waitsForBills: false }),
    runs: async (limit) => {
      const request = { method: "GET", path: `training_runs?limit=${limit}&offset=0` } as const;
      const { training_runs: runs } = await tinker.call(request, trainingRunListSchema);
      return runs.map((run) => ({
        id: run.training_run_id,
        baseModel: run.base_model,
        loraRank: run.lora_rank,
        userMetadata: run.user_metadata ?? {},
      }));
    },
    checkpoints: async (limit) => {
      const request = { method: "GET", path: `checkpoints?limit=${limit}&offset=0` } as const;
      return checkpointsOf(await tinker.call(request, checkpointListSchema));
    },
    billed: (sessions, period) => readBilled(tinker, sessions, period),
  };
}
