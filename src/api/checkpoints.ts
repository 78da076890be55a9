/** What an editor of this package asks its server about checkpoints. */

import * as z from "zod";
import { handedOver } from "../node/control/messages.ts";

export const CHECKPOINT_REQUESTS = {
  /**
   * A {@link WeightsRequest}, answered with the `RequestOutcome` of null once the files are there; reports {@link WeightsProgress}. When it is
   * canceled, it is answered after nothing is left at the service.
   */
  download: "tinkerRL/checkpoint/download",
  /** A {@link ChangeWeightsRequest}, answered with the `RequestOutcome` of null. */
  change: "tinkerRL/checkpoint/change",
} as const;

export interface WeightsProgress {
  readonly file: string;
  readonly receivedBytes: number;
  /** Null when the server does not say. */
  readonly totalBytes: number | null;
}

const handedKeys = z.object(handedOver).readonly();

/** The keys and addresses for one request. */
export type HandedKeys = z.infer<typeof handedKeys>;

export const downloadRequestSchema = z
  .object({
    progressToken: z.string(),
    launch: handedKeys,
    /** Of the run that saved it. */
    folder: z.string(),
    name: z.string(),
    /** Absolute; the folder for the files. */
    output: z.string(),
    /** With an absolute `base`; null = as Tinker exports them. */
    form: z
      .object({
        form: z.enum(["vllm", "merged"]),
        base: z.string().nullable(),
        dropsUnembedding: z.boolean(),
      })
      .readonly()
      .nullable(),
    /** True when the checkpoint is one of this computer. */
    isLocalOnly: z.boolean(),
  })
  .readonly();

export type WeightsRequest = z.infer<typeof downloadRequestSchema>;

/** Changes checkpoints where they are; nothing to delete is no fault. */
export const changeWeightsSchema = z
  .object({
    /** `tinker://RUN/KIND/NAME` each. */
    paths: z.array(z.string()).readonly(),
    change: z.discriminatedUnion("action", [
      z.object({ action: z.enum(["delete", "publish", "unpublish"]) }).readonly(),
      z.object({ action: z.literal("set-ttl"), ttlSeconds: z.number().nullable() }).readonly(),
    ]),
    /** Null for checkpoints of this computer. A null `baseUrl` means the one in the variables, or the official one. */
    service: z.object({ launch: handedKeys, baseUrl: z.string().nullable() }).readonly().nullable(),
  })
  .readonly();

export type ChangeWeightsRequest = z.infer<typeof changeWeightsSchema>;
