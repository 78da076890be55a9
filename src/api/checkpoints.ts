/** What an editor of this package asks its server about checkpoints. */

import * as z from "zod";
import type { CheckpointChange } from "../core/tinker/checkpointChange.ts";
import type { FormRequest } from "../core/weights/forms/formRequest.ts";
import { handedOver } from "../node/control/messages.ts";
import type { LaunchRequest } from "../shared/control.ts";
import type { ReportsProgress } from "./requests.ts";

export const CHECKPOINT_REQUESTS = {
  /**
   * A {@link WeightsRequest}, answered with the `RequestOutcome` of null once the files are there; reports {@link WeightsProgress}. When it is
   * canceled, it is answered after nothing is left at the service.
   */
  download: "tinkerRL/checkpoint/download",
  /** A {@link ChangeWeightsRequest}, answered with the `RequestOutcome` of null. */
  change: "tinkerRL/checkpoint/change",
} as const;

/** The keys and addresses for one request. */
export type HandedKeys = Pick<LaunchRequest, "keys" | "allowedOrigins" | "variables" | "envFile">;

export interface WeightsRequest extends ReportsProgress {
  readonly launch: HandedKeys;
  /** Of the run that saved it. */
  readonly folder: string;
  readonly name: string;
  /** Absolute; the folder for the files. */
  readonly output: string;
  /** With an absolute `base`; null = as Tinker exports them. */
  readonly form: FormRequest | null;
  /** True when the checkpoint is one of this computer. */
  readonly isLocalOnly: boolean;
}

export interface WeightsProgress {
  readonly file: string;
  readonly receivedBytes: number;
  /** Null when the server does not say. */
  readonly totalBytes: number | null;
}

/** Changes checkpoints where they are; nothing to delete is no fault. */
export interface ChangeWeightsRequest {
  /** `tinker://RUN/KIND/NAME` each. */
  readonly paths: readonly string[];
  readonly change: CheckpointChange;
  /** Null for checkpoints of this computer. */
  readonly service: {
    readonly launch: HandedKeys;
    /** As the run names it; null means the one in the variables, or the official one. */
    readonly baseUrl: string | null;
  } | null;
}

const handedKeys = z.object(handedOver).readonly();

export const downloadRequestSchema: z.ZodType<WeightsRequest> = z
  .object({
    progressToken: z.string(),
    launch: handedKeys,
    folder: z.string(),
    name: z.string(),
    output: z.string(),
    form: z
      .object({
        form: z.enum(["vllm", "merged"]),
        base: z.string().nullable(),
        dropsUnembedding: z.boolean(),
      })
      .readonly()
      .nullable(),
    isLocalOnly: z.boolean(),
  })
  .readonly();

export const changeWeightsSchema: z.ZodType<ChangeWeightsRequest> = z
  .object({
    paths: z.array(z.string()).readonly(),
    change: z.discriminatedUnion("action", [
      z.object({ action: z.enum(["delete", "publish", "unpublish"]) }).readonly(),
      z.object({ action: z.literal("set-ttl"), ttlSeconds: z.number().nullable() }).readonly(),
    ]),
    service: z.object({ launch: handedKeys, baseUrl: z.string().nullable() }).readonly().nullable(),
  })
  .readonly();
