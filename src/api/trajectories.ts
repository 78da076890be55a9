/** Requests from this extension to its server about a run's rollouts. */

import * as z from "zod";
import type { RowText } from "../shared/rowText.ts";

export const TRAJECTORY_REQUESTS = {
  /** A {@link TrajectoriesRequest}, answered with the `RequestOutcome` of {@link TrajectoryRows}. */
  rows: "tinkerRL/trajectories/rows",
  /** A {@link RolloutTextRequest}, answered with the `RequestOutcome` of the rollout as text, or null if it is no longer in the folder. */
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

/** Which rollouts to show. */
export type TreeFilter = z.infer<typeof treeFilterSchema>;

const ORDERS = ["number", "reward", "advantage", "tokens", "turns"] as const;
/** The order of a group's rollouts; all but the first are descending. */
export type RolloutOrder = (typeof ORDERS)[number];

export const trajectoriesRequestSchema = z
  .object({
    folder: z.string(),
    /** The parent whose children to list: a step, an evaluation, or one of its groups; null = the run. */
    of: place.extend({ group: count.optional() }).readonly().nullable(),
    filter: treeFilterSchema.nullable(),
    order: z.enum(ORDERS),
    /** Maximum number of steps and evaluations, newest first. */
    limit: count,
  })
  .readonly();
export type TrajectoriesRequest = z.infer<typeof trajectoriesRequestSchema>;

/** A step or evaluation, one of its groups, or one of the group's rollouts; all numbers count from 0. */
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
  /** Number of steps and evaluations beyond the limit. */
  readonly more: number;
  /** Why the run has no rows; empty where it has some. */
  readonly why: string;
}

export const rolloutTextRequestSchema = rolloutPlace
  .extend({ folder: z.string(), form: z.enum(["json", "txt"]) })
  .readonly();
export type RolloutTextRequest = z.infer<typeof rolloutTextRequestSchema>;
