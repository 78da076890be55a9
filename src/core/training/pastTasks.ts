/** Reads from a past run how many tasks its environments have, so that they need not be asked again. */

import * as z from "zod";
import type { Config } from "../config/fields/schema.ts";
import type { JsonObject } from "../json.ts";
import type { FolderFiles, Sha256 } from "../ports.ts";
import { readEvaluations } from "../runFolder/evaluationLog.ts";
import { readEvents } from "../runFolder/events.ts";
import type { CountedTasks } from "./estimatePlan.ts";
import { createTaskSequence, type TaskSequence, taskSource } from "./tasks/dataset.ts";

const tasksSchema = z.object({
  tasks: z.record(z.string(), z.record(z.string(), z.int().nonnegative())),
});
type Counts = z.infer<typeof tasksSchema>["tasks"];

/** The task counts by environment and split that a run's start event stores. */
export function taskCounts({ sources }: Pick<TaskSequence, "sources">): JsonObject {
  const counts: Record<string, Record<string, number>> = {};
  for (const { environment, split, count } of sources) {
    counts[environment] = { ...counts[environment], [split]: count };
  }
  return { tasks: counts };
}

/**
 * The tasks of a planned run of `config`, read from the folder of a past run; null if any count is missing. @throws AppError
 * `file-unreadable`
 */
export async function pastTasks(
  config: Config,
  sha256: Sha256,
  { fileSystem, folder }: { readonly fileSystem: FolderFiles; readonly folder: string },
): Promise<CountedTasks | null> {
  const counts = await readCounts(fileSystem, folder);
  const sources = [];
  for (const [environment, { splits }] of Object.entries(config.environments)) {
    for (const split of Object.keys(splits)) {
      const count = counts[environment]?.[split];
      if (count === undefined) return null;
      sources.push(taskSource(config, { environment, split, count }));
    }
  }
  const evaluated = await evaluatedTasks(config, counts, { fileSystem, folder });
  if (evaluated === null) return null;
  return {
    sequence: createTaskSequence(sources, config.seed, config.mix, sha256),
    countTasks: async (environment, split) =>
      evaluated.get(`${environment} ${split}`) ?? counts[environment]?.[split] ?? 0,
  };
}

async function readCounts(fileSystem: FolderFiles, folder: string): Promise<Counts> {
  let counts: Counts = {};
  for await (const { kind, data } of readEvents(fileSystem, folder)) {
    const found = kind === "run-started" ? tasksSchema.safeParse(data).data : undefined;
    counts = found?.tasks ?? counts;
  }
  return counts;
}

/** Counts by environment and split. For a split that is only evaluated, at least as many as the plan uses. */
async function evaluatedTasks(
  { evaluation }: Config,
  counts: Counts,
  { fileSystem, folder }: { readonly fileSystem: FolderFiles; readonly folder: string },
): Promise<ReadonlyMap<string, number> | null> {
  const known = new Map<string, number>();
  if (evaluation === null) return known;
  const played = (await readEvaluations(fileSystem, folder)).flatMap(({ results }) => results);
  for (const [environment, splits] of Object.entries(evaluation.splits)) {
    for (const split of splits) {
      const own = played.filter((each) => each.environment === environment && each.split === split);
      const most = Math.max(0, ...own.map(({ tasks }) => tasks));
      const isEnough = evaluation.num_samples !== null && evaluation.num_samples <= most;
      const count = counts[environment]?.[split] ?? (isEnough ? most : undefined);
      if (count === undefined) return null;
      known.set(`${environment} ${split}`, count);
    }
  }
  return known;
}
