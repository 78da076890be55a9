/** The demonstrations of a run folder: its rollouts, filtered, in the ids in which they were sampled. */

import { parseRolloutCondition } from "../../shared/rolloutCondition.ts";
import type { Config } from "../config/fields/schema.ts";
import { AppError } from "../errors.ts";
import type { FolderFiles } from "../ports.ts";
import { markFinder } from "../runFolder/marks.ts";
import { createRunReader, type RolloutSummary, type RunReader } from "../runFolder/reader.ts";
import { groupBy } from "../util/groupBy.ts";
import type { Example } from "./example.ts";
import { storedStreams } from "./storedExample.ts";

type DataSource = Config["data"][number];

export interface RunExamplesOptions {
  readonly fileSystem: FolderFiles;
  readonly folder: string;
  /** Name for messages and for the examples. */
  readonly name: string;
  readonly source: DataSource;
  /** Key path of the source, such as `data.0`. */
  readonly configPath: string;
  readonly trainOn: Config["train_on"];
  /** True for a split that is kept for measuring. */
  readonly isTest: (environment: string, split: string) => boolean;
}

export interface RunExamples {
  readonly examples: readonly Example[];
  /** Rollouts that pass the filters and whose tokens are not stored. */
  readonly withoutTokens: number;
}

/** @throws AppError `data-from-test`, `no-examples`, `file-unreadable` */
export async function runExamples(options: RunExamplesOptions): Promise<RunExamples> {
  const { fileSystem, folder, name, source, configPath, trainOn } = options;
  const reader = createRunReader(fileSystem, folder);
  const chosen = fewPerTask(await chosenRollouts(reader, options), source.max_per_task);
  const examples: Example[] = [];
  let withoutTokens = 0;
  for (const summary of chosen) {
    const record = await reader.body(summary);
    const tokens = await Promise.all(
      summary.tokenData.map((entry) => reader.tokens(summary, entry)),
    );
    const stored = tokens.filter((one) => one !== null);
    const streams = record === null ? null : storedStreams(record, stored, trainOn);
    if (record === null || streams === null) {
      withoutTokens += 1;
      continue;
    }
    const { step: _, group: _g, rollout: _r, taskKey: _k, attempt: _a, ...kept } = record;
    const { environment, split, index, ...own } = kept;
    const task = `${environment}:${split}:${index}`;
    const place = { source: name, index: examples.length, task, split: "train" } as const;
    examples.push({ ...place, streams, record: own });
  }
  if (examples.length > 0) return { examples, withoutTokens };
  const why =
    withoutTokens > 0
      ? `the tokens of ${withoutTokens} of its rollouts are not stored: those of training are, where they were trained, and those of evaluations`
      : "none of its rollouts passes the filters";
  throw new AppError("no-examples", `${configPath}: ${name} gives no example, because ${why}.`, {
    configPath: "data",
  });
}

/** In the order of steps, groups and rollouts. */
async function chosenRollouts(
  reader: RunReader,
  { name, source, configPath, isTest }: RunExamplesOptions,
): Promise<readonly RolloutSummary[]> {
  const { where, starred, tags } = source;
  const passes = where === null ? () => true : parseRolloutCondition(where);
  const markOf = markFinder(await reader.marks());
  const trained = await reader.steps("training");
  // A run's own evaluations measure it; in a folder without training they are what was played.
  const set = trained.length > 0 ? ("training" as const) : ("evaluation" as const);
  const steps = trained.length > 0 ? trained : await reader.steps("evaluation");
  const chosen: RolloutSummary[] = [];
  for (const step of steps) {
    for (const summary of await reader.rollouts(step, set)) {
      const { reward, turns, tokens, toolCalls: tool_calls } = summary;
      const mark = markOf(summary);
      const isChosen =
        reward !== null &&
        passes?.({ reward, turns, tokens, tool_calls, step }) === true &&
        (!starred || mark.star) &&
        (tags.length === 0 || tags.some((tag) => mark.tags.includes(tag)));
      if (!isChosen) continue;
      const { environment, split } = summary;
      if (isTest(environment, split)) throw fromTest(configPath, name, environment, split);
      chosen.push(summary);
    }
  }
  return chosen;
}

function fromTest(configPath: string, name: string, environment: string, split: string): AppError {
  return new AppError(
    "data-from-test",
    `${configPath}: ${name} has rollouts of ${environment}, split ${split}, which is kept for measuring: what was trained on it could not be measured there any more. Take rollouts of another split.`,
    { configPath: "data" },
  );
}

function fewPerTask(
  rollouts: readonly RolloutSummary[],
  limit: number | null,
): readonly RolloutSummary[] {
  if (limit === null) return rollouts;
  const taskOf = ({ environment, split, index }: RolloutSummary) =>
    `${environment}:${split}:${index}`;
  const kept = [...groupBy(rollouts, taskOf).values()].flatMap((own) =>
    own.toSorted((a, b) => (b.reward ?? 0) - (a.reward ?? 0)).slice(0, limit),
  );
  const isKept = new Set(kept);
  return rollouts.filter((rollout) => isKept.has(rollout));
}
