/** Our task definition and its validation, because anyone can write one into `tasks.json`. */

import * as l10n from "@vscode/l10n";
import * as z from "zod";
import { launchName } from "../../node/launch/launchStore.ts";
import type { InsteadOfTraining } from "../../shared/control.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { TASK_TYPE } from "../manifest/taskType.ts";

/** What a task can do with a configuration; the manifest lists the same. */
export const TASK_ACTIONS = ["train", "validate", "evaluate", "dry_run", "estimate"] as const;

const trainTask = z.object({
  type: z.literal(TASK_TYPE),
  /** Path of the configuration, relative to the workspace folder or absolute. */
  config: z.string().min(1),
  action: z.enum(TASK_ACTIONS).default("train"),
  /** Dotted keys with their values. */
  overrides: z.record(z.string(), z.unknown()).default({}),
  /** A run folder to resume, `auto` for the run of that name, or a checkpoint `tinker://…`. */
  resume: z.string().exactOptional(),
  runName: z.string().exactOptional(),
  /** Comma-separated values by dotted key: one run per combination. */
  grid: z.record(z.string(), z.string()).exactOptional(),
  /** Number of concurrent runs of the grid. */
  parallel: z.number().int().min(1).exactOptional(),
  /** Steps after which only the better half of the grid goes on. */
  halve: z.number().int().min(2).exactOptional(),
  /** True to retry runs of the grid that failed before. */
  retryFailed: z.boolean().exactOptional(),
  /** What to evaluate: checkpoints, run folders and `base`. */
  models: z.array(z.string().min(1)).exactOptional(),
  /** Internal: the id of the sweep that is continued, with `overrides` that include what the setting had when it began. */
  sweep: z.string().exactOptional(),
  /** Internal: the launch that a new window rejoins. */
  attach: launchName.exactOptional(),
  /** Internal: distinguishes a training from an identical one that is running. */
  instance: z.number().int().exactOptional(),
});

export type TrainTask = z.infer<typeof trainTask>;

/** The definition with defaults, or why it is invalid. */
export function readTrainTask(definition: unknown): TrainTask | string {
  const parsed = trainTask.safeParse(definition);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return l10n.t(
    "The task cannot be used: {0}: {1}. Correct it in tasks.json.",
    issue?.path.join(".") ?? "",
    issue?.message ?? "",
  );
}

/** A task's overrides in the form the trainer expects, each `key=value`. Strings are YAML, as on the command line. */
export function overrideTexts(task: TrainTask): readonly string[] {
  const { overrides, runName: run_name, resume } = task;
  const resume_from = resumedFolder(task) === null ? resume : undefined;
  const all = { ...overrides, ...withoutUndefined({ run_name, resume_from }) };
  return Object.entries(all).map(
    ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
}

/** A task's grid, each `key=value,value`; null for a single run. */
export function gridTexts({ grid }: Pick<TrainTask, "grid">): readonly string[] | null {
  if (grid === undefined) return null;
  return Object.entries(grid).map(([key, values]) => `${key}=${values}`);
}

/** What the task does instead of training; null if it trains. */
export function insteadOfTraining(task: TrainTask): InsteadOfTraining | null {
  const { action, models = [] } = task;
  switch (action) {
    case "evaluate":
      return { kind: action, models };
    case "estimate":
      return { kind: action, grid: gridTexts(task) ?? [] };
    case "dry_run":
      return { kind: action };
    default:
      return null;
  }
}

/** The run folder that the task resumes; null for a new run. */
export function resumedFolder({ resume }: TrainTask): string | null {
  if (resume === undefined || resume === "auto" || resume.startsWith("tinker://")) return null;
  return resume;
}
