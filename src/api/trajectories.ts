/** What an editor of this package asks its server about the rollouts of a run. */

import * as z from "zod";
import type { RowText } from "../shared/rowText.ts";

export const TRAJECTORY_REQUESTS = {
  /** A {@link TrajectoriesRequest}, answered with the `RequestOutcome` of {@link TrajectoryRows}. */
  rows: "tinkerRL/trajectories/rows",
  /** A {@link RolloutTextRequest}, answered with the `RequestOutcome` of the rollout as text, or null where the folder no longer has it. */
  text: "tinkerRL/trajectories/text",
} as const;

const count = z.number().int().nonnegative();
const place = z.object({ source: z.enum(["training", "evaluation"]), step: count });
const rolloutPlace = place.extend({ group: count, rollout: count });

const treeFilterSchema = z.union([
  z.object({ kind: z.literal("reward"), from: z.number(), to: z.number() }).readonly(),
  z.object({ kind: z.literal("stop"), stop: z.string() }).readonly(),
  z.object({ kind: z.enum(["failed", "excluded", "tool errors"]) }).readonly(),
]);

/** Which rollouts are shown. */
export type TreeFilter = z.infer<typeof treeFilterSchema>;

const ORDERS = ["number", "reward", "advantage", "tokens", "turns"] as const;
/** The order of the rollouts of a group; all but the first begin with the highest. */
export type RolloutOrder = (typeof ORDERS)[number];

export const trajectoriesRequestSchema = z
  .object({
    folder: z.string(),
    /** Whose parts are asked for: a step or evaluation, or one of its groups; null = the run. */
    of: place.extend({ group: count.optional() }).readonly().nullable(),
    filter: treeFilterSchema.nullable(),
    order: z.enum(ORDERS),
    /** Of steps and evaluations; the newest come first. */
    limit: count,
  })
  .readonly();
export type TrajectoriesRequest = z.infer<typeof trajectoriesRequestSchema>;

/** A step or evaluation, a group of it, or a rollout of that; all numbers count from 0. */
export interface TrajectoryRow {
  readonly source: "training" | "evaluation";
  readonly step: number;
  readonly group?: number | undefined;
  readonly rollout?: number | undefined;
  readonly text: RowText;
  readonly tooltip: string;
}

export interface TrajectoryRows {
  readonly rows: readonly TrajectoryRow[];
  /** Steps and evaluations beyond the limit. */
  readonly more: number;
  /** Why the run has no rows; empty where it has some. */
  readonly why: string;
}

export const rolloutTextRequestSchema = rolloutPlace
  .extend({ folder: z.string(), form: z.enum(["json", "txt"]) })
  .readonly();
export type RolloutTextRequest = z.infer<typeof rolloutTextRequestSchema>;
