/** Requests from this extension to its server about checkpoints. */

import * as z from "zod";
import { handedOver } from "../node/control/messages.ts";

export const CHECKPOINT_REQUESTS = {
  /**
   * A {@link WeightsRequest}, answered with the `RequestOutcome` of null once the files are there; reports {@link WeightsProgress}. If
   * canceled, it is answered after everything at the service has been cleaned up.
   */
  download: "tinkerRL/checkpoint/download",
  /** A {@link ChangeWeightsRequest}, answered with the `RequestOutcome` of null. */
  change: "tinkerRL/checkpoint/change",
} as const;

export interface WeightsProgress {
  readonly file: string;
  readonly receivedBytes: number;
  /** Null if the server does not report it. */
  readonly totalBytes: number | null;
}

const handedKeys = z.object(handedOver).readonly();

/** The keys and addresses for one request. */
export type HandedKeys = z.infer<typeof handedKeys>;

export const downloadRequestSchema = z
  .object({
    progressToken: z.string(),
    launch: handedKeys,
    /** Folder of the run that saved it. */
    folder: z.string(),
    name: z.string(),
    /** Absolute path of the folder for the files. */
    output: z.string(),
    /** Export format, with an absolute `base`; null = Tinker's own format. */
    form: z
      .object({
        form: z.enum(["vllm", "merged"]),
        base: z.string().nullable(),
        dropsUnembedding: z.boolean(),
      })
      .readonly()
      .nullable(),
    /** True if the checkpoint is stored on this computer. */
    isLocalOnly: z.boolean(),
  })
  .readonly();

export type WeightsRequest = z.infer<typeof downloadRequestSchema>;

/** Changes checkpoints in place; deleting one that does not exist is not an error. */
export const changeWeightsSchema = z
  .object({
    /** Each `tinker://RUN/KIND/NAME`. */
    paths: z.array(z.string()).readonly(),
    change: z.discriminatedUnion("action", [
      z.object({ action: z.enum(["delete", "publish", "unpublish"]) }).readonly(),
      z.object({ action: z.literal("set-ttl"), ttlSeconds: z.number().nullable() }).readonly(),
    ]),
    /** Null for checkpoints on this computer. A null `baseUrl` means the one from the variables, or the official one. */
    service: z.object({ launch: handedKeys, baseUrl: z.string().nullable() }).readonly().nullable(),
  })
  .readonly();

export type ChangeWeightsRequest = z.infer<typeof changeWeightsSchema>;
