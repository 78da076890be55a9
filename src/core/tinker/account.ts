/** An account at a Tinker server, readable without a session: offered models, runs, checkpoints. */

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

/** A trained model as the server lists it. */
export interface TrainedRun {
  /** The run part of a checkpoint's path, right after `tinker://`. */
  readonly id: string;
  readonly baseModel: string | null;
  readonly loraRank: number | null;
  readonly userMetadata: Readonly<Record<string, unknown>>;
}

/** All calls fail with AppError `tinker-*`. They never wait for an unpaid bill, because a person is waiting for the answer. */
export interface TinkerAccount extends CheckpointClient {
  /** Null if the server does not list models. @throws AppError also `config-address-invalid` if there is no Tinker server at all */
  models(): Promise<readonly SupportedModel[] | null>;
  /** The newest runs, at most `limit`. */
  runs(limit: number): Promise<readonly TrainedRun[]>;
  /** Checkpoints of all runs, newest first, at most `limit`. */
  checkpoints(limit: number): Promise<readonly Checkpoint[]>;
  /** See {@link readBilled}. */
  billed(sessions: ReadonlySet<string>, period: BillingPeriod): Promise<BilledUsage>;
}

/** @throws AppError `tinker-auth` for a key that cannot belong to the hosted service, and `tinker-*` like all calls */
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
