/** Validates messages on both sides of a control socket. */

import * as z from "zod";
import { sweepMemberSchema } from "../../core/runFolder/runFile.ts";
import {
  CONTROL_VERSION,
  type ControlCommand,
  type ControlNotice,
  type ControlReply,
  type ControlRequest,
  type LaunchError,
  type LaunchFile,
  type LaunchRequest,
  type RequestedTraining,
  type RunStatus,
} from "../../shared/control.ts";
import { RUN_PHASES } from "../../shared/runFile.ts";
import type { Trend } from "../../shared/trend.ts";

const count = z.number().int().nonnegative();
const line = { version: z.literal(CONTROL_VERSION), id: count, token: z.string() };

const plain = z.object({
  action: z.enum(["status", "attach", "pause", "continue", "save", "stop", "stop-now"]),
});
const changeSettings = z.object({
  action: z.literal("change-settings"),
  settings: z.array(z.string().max(10_000)).min(1).max(200).readonly(),
});

export const controlCommandSchema: z.ZodType<ControlCommand> = z.union([
  plain.readonly(),
  changeSettings.readonly(),
]);

export const controlRequestSchema: z.ZodType<ControlRequest> = z.union([
  plain.extend(line).readonly(),
  changeSettings.extend(line).readonly(),
]);

const trend: z.ZodType<Trend> = z.union([
  z
    .object({
      direction: z.enum(["rising", "flat", "falling"]),
      since: count,
      steps: count,
      was: z.number(),
      now: z.number(),
      slope: z.number(),
      slopeError: z.number(),
    })
    .readonly(),
  z.object({ direction: z.literal("unclear"), steps: count, groups: count.nullable() }).readonly(),
]);
const rolloutCount = z.object({ done: count, total: count });
const runStatus: z.ZodType<RunStatus> = z
  .object({
    pid: count,
    phase: z.enum(RUN_PHASES),
    preparing: z.string().nullable(),
    folder: z.string().nullable(),
    step: count,
    totalSteps: count.nullable(),
    rollouts: rolloutCount.readonly().nullable(),
    evaluated: rolloutCount.extend({ isBesideStep: z.boolean() }).readonly().nullable(),
    rewardMean: z.number().nullable(),
    trend: trend.nullable(),
    attached: count,
  })
  .readonly();

const done = z
  .object({ id: count, ok: z.literal(true), message: z.string(), status: runStatus })
  .readonly();
const refused = z
  .object({ id: count, ok: z.literal(false), code: z.string(), message: z.string() })
  .readonly();
const notice: z.ZodType<ControlNotice> = z
  .object({ notice: z.literal("status"), status: runStatus })
  .readonly();

/** Messages from a trainer. */
export const controlAnswerSchema: z.ZodType<ControlReply | ControlNotice> = z.union([
  done,
  refused,
  notice,
]);

const address = z.object({ address: z.string(), tokenPath: z.string() }).readonly();

const text = z.string().exactOptional();
/** Also used in the data of errors. */
export const suggestedEdits = z
  .array(z.object({ path: z.array(z.string()).readonly(), value: z.number() }).readonly())
  .readonly();
const launchError: z.ZodType<LaunchError> = z
  .object({
    code: z.string(),
    message: z.string(),
    key: text,
    host: text,
    name: text,
    keys: z.array(z.string()).readonly().exactOptional(),
    edits: suggestedEdits.exactOptional(),
  })
  .readonly();

export const launchFileSchema: z.ZodType<LaunchFile> = z
  .object({
    schemaVersion: z.literal(1),
    pid: count,
    control: address.nullable(),
    folder: z.string().nullable(),
    exitCode: count.nullable(),
    error: launchError.nullable(),
  })
  .readonly();

export const requestedTraining: z.ZodType<RequestedTraining> = z
  .object({
    configPath: z.string(),
    resume: z.string().nullable(),
    overrides: z.array(z.string()).readonly(),
    digest: z.string().nullable(),
    sweep: sweepMemberSchema.exactOptional(),
    instead: z
      .discriminatedUnion("kind", [
        z
          .object({ kind: z.literal("evaluate"), models: z.array(z.string()).readonly() })
          .readonly(),
        z.object({ kind: z.literal("dry_run") }).readonly(),
        z.object({ kind: z.literal("estimate"), grid: z.array(z.string()).readonly() }).readonly(),
      ])
      .exactOptional(),
  })
  .readonly();
const orderedKey = z
  .object({ value: z.string(), origin: z.enum(["store", "process"]), host: z.string().nullable() })
  .readonly();

/** What the trainer receives only from an editor. */
export const handedOver = {
  keys: z.record(z.string(), orderedKey),
  allowedOrigins: z.array(z.object({ origin: z.string(), key: z.string() }).readonly()).readonly(),
  variables: z.record(z.string(), z.string()),
  envFile: z.string().nullable(),
};

export const launchRequestSchema: z.ZodType<LaunchRequest> = z
  .object({
    version: z.literal(CONTROL_VERSION),
    training: requestedTraining,
    ...handedOver,
    onQuit: z.enum(["keep running", "stop and save"]),
  })
  .readonly();
