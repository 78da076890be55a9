/** Output records of saved weights: those of a run, all on this computer and in the account, a single one, and a download. */

import * as z from "zod";
import type { CheckpointEntry } from "../runFolder/checkpointLog.ts";
import { count, defineOutput, list, measure, time } from "./output.ts";

const address = z.string().describe("tinker://RUN/KIND/NAME");

export const checkpointOfRunShape = {
  name: z.string(),
  step: count.describe("completed steps"),
  kind: z.enum(["periodic", "rolling", "final", "interrupt", "manual", "best"]),
  statePath: address
    .nullable()
    .describe("training state to continue from; null: only the weights for sampling are left"),
  samplerPath: address.nullable().describe("weights for sampling"),
  expiresAt: time.nullable().describe("null: kept until deleted"),
  createdAt: time,
  renderer: z.string().describe("the chat format"),
  metrics: z
    .record(z.string(), measure)
    .describe("values at the time of the save, by flat metric name"),
};

export const runCheckpointsOutput = defineOutput(
  { name: "run-checkpoints", version: 1, command: "checkpoints list RUN_FOLDER --json" },
  {
    folder: z.string().describe("absolute path of the run folder"),
    checkpoints: list(z.object(checkpointOfRunShape)),
  },
);

const storedShape = {
  path: address,
  place: z.enum(["this computer", "Tinker"]),
  time: time.nullable().describe("time of the save"),
  sizeBytes: count.nullable(),
  expiresAt: time.nullable().describe("null: kept until deleted"),
  isPublic: z.boolean().nullable(),
};

export const checkpointsOutput = defineOutput(
  { name: "checkpoints", version: 1, command: "checkpoints list --json" },
  { checkpoints: list(z.object(storedShape)) },
);

export const checkpointOutput = defineOutput(
  { name: "checkpoint", version: 1, command: "checkpoints info ADDRESS --json" },
  {
    ...storedShape,
    baseModel: z.string(),
    loraRank: count.nullable(),
    consoleUrl: z.string().nullable().describe("its page in the hosted console"),
  },
);

export const downloadOutput = defineOutput(
  { name: "download", version: 1, command: "checkpoints download SOURCE --json" },
  {
    path: address,
    folder: z.string().describe("folder with the files"),
    files: list(
      z.object({
        name: z.string(),
        sizeBytes: count,
        sha256: z.string().describe("in hexadecimal"),
      }),
    ),
  },
);

export function checkpointFields(
  entry: CheckpointEntry,
): z.input<z.ZodObject<typeof checkpointOfRunShape>> {
  const { name, step, kind, renderer, metrics } = entry;
  return {
    name,
    step,
    kind,
    renderer,
    metrics: { ...metrics },
    statePath: entry.state_path,
    samplerPath: entry.sampler_path,
    expiresAt: entry.expires_at,
    createdAt: entry.created_at,
  };
}
