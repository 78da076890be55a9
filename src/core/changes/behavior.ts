/** Measures the model's behavior in each step: rewards of its parts, tools, lengths, stop reasons, refusals. */

import * as z from "zod";
import { type BehaviorReport, type BehaviorRow, REWARD_GROUPINGS } from "../../shared/changes.ts";
import { sum } from "../../shared/mean.ts";
import type { FolderFiles } from "../ports.ts";
import { stepPaths } from "../runFolder/files/layout.ts";
import { createRunReader, type RolloutSummary, type RunReader } from "../runFolder/reader.ts";
import { parseJson } from "../util/jsonl.ts";
import { mean } from "../util/stats.ts";
import { evenly, type ListedRollout, readSome } from "./readSample.ts";
import { rewardParts } from "./rewardParts.ts";

const MAX_STEPS = 200;
const READ_PER_STEP = 32;
/** Maximum number of environments, splits, tools and stop reasons in a row. */
const MAX_NAMES = 20;
const MAX_CACHE_BYTES = 256 * 1024;
/** Increase when rows are computed differently. */
const CACHE_VERSION = 5;

/** Typical beginnings of refusals (A. Zou et al., "Universal and Transferable Adversarial Attacks on Aligned Language Models", 2023). */
const REFUSAL =
  /\b(?:I['’]m sorry|I am sorry|I apologi[sz]e|As an AI|I['’]m just an|I cannot|I can['’]?t|I can not|I['’]m (?:not able|unable) to|I am (?:not able|unable) to|I won['’]t|is it not ethical|it['’]s not appropriate)\b/i;

const measure = z.number().nullable();
const byName = z.record(z.string(), z.number());
const part = z.object({
  by: z.enum(REWARD_GROUPINGS),
  name: z.string(),
  rollouts: z.number(),
  mean: z.number(),
  low: measure,
  high: measure,
});
const cacheSchema = z.object({
  version: z.literal(CACHE_VERSION),
  /** Size in bytes of the step's index. */
  size: z.number(),
  row: z.object({
    step: z.number(),
    rollouts: z.number(),
    read: z.number(),
    tokens: measure,
    turns: measure,
    calls: measure,
    failedCalls: measure,
    malformedCalls: measure,
    thinking: measure,
    answer: measure,
    argument: measure,
    refusals: measure,
    parts: z.array(part),
    stops: byName,
    tools: byName,
  }),
}) satisfies z.ZodType<{ readonly row: BehaviorRow }>;

/**
 * Reports step by step, in ascending order. Results are cached next to the rollouts, except for the newest step, which may still
 * grow.
 * @throws AppError `file-unreadable`
 */
export async function* readBehavior(
  files: FolderFiles,
  folder: string,
): AsyncGenerator<BehaviorReport, void> {
  const reader = createRunReader(files, folder);
  const steps = await reader.steps("training");
  const chosen = evenly(steps, MAX_STEPS);
  const report = { steps: steps.length };
  for (const [at, step] of chosen.entries()) {
    const row = await keptRow(files, folder, { reader, step, isNewest: at === chosen.length - 1 });
    const rows = row === null ? [] : [row];
    yield { ...report, rows, progress: (at + 1) / chosen.length, isComplete: false };
  }
  yield { ...report, rows: [], progress: 1, isComplete: true };
}

interface KeptStep {
  readonly reader: RunReader;
  readonly step: number;
  readonly isNewest: boolean;
}

async function keptRow(
  files: FolderFiles,
  folder: string,
  { reader, step, isNewest }: KeptStep,
): Promise<BehaviorRow | null> {
  const { index, bodies } = stepPaths(folder, step);
  const path = bodies.replace(/\.jsonl$/, ".behavior.json");
  const size = (await files.size(index)) ?? 0;
  if ((await files.size(path)) !== null) {
    const kept = cacheSchema.safeParse(
      parseJson(await files.readText(path, MAX_CACHE_BYTES))?.value,
    );
    if (kept.data?.size === size) return kept.data.row;
  }
  const summaries = await reader.rollouts(step);
  if (summaries.length === 0) return null;
  const played = summaries.filter(({ turns }) => turns > 0);
  const read = await readSome(reader, played, READ_PER_STEP);
  const row = behaviorOf(step, { summaries, played, read });
  if (!isNewest) {
    const text = JSON.stringify({ version: CACHE_VERSION, size, row });
    // Results are still reported if the folder is read-only.
    await files.writeAtomic(path, text).catch(() => undefined);
  }
  return row;
}

interface StepRollouts {
  readonly summaries: readonly RolloutSummary[];
  /** Rollouts with at least one turn. A rollout that failed earlier says nothing about the model. */
  readonly played: readonly RolloutSummary[];
  /** A sample of `played`. */
  readonly read: readonly ListedRollout[];
}

function behaviorOf(step: number, { summaries, played, read }: StepRollouts): BehaviorRow {
  const turns = read.flatMap(({ record }) => record.turns);
  const calls = sum(played.map(({ toolCalls }) => toolCalls));
  const failed = sum(played.map(({ failedToolCalls }) => failedToolCalls));
  const perRollout = (count: (rollout: ListedRollout) => number) => mean(read.map(count));
  return {
    step,
    rollouts: summaries.length,
    read: read.length,
    tokens: mean(played.map(({ tokens }) => tokens)),
    turns: mean(played.map((summary) => summary.turns)),
    calls: mean(played.map(({ toolCalls }) => toolCalls)),
    failedCalls: calls === 0 ? null : failed / calls,
    malformedCalls: perRollout(({ record }) =>
      sum(record.turns.map(({ errors }) => errors.length)),
    ),
    thinking: perRollout(({ record }) => lengthOf(record.turns.map(({ reasoning }) => reasoning))),
    answer: perRollout(({ record }) => lengthOf(record.turns.map(({ content }) => content))),
    argument: mean(turns.flatMap((turn) => turn.calls.map(({ args }) => args.length))),
    refusals: perRollout(({ record }) =>
      REFUSAL.test(record.turns.at(-1)?.content ?? "") ? 1 : 0,
    ),
    parts: rewardParts(summaries, MAX_NAMES),
    stops: sharesOf(summaries.map(({ stop }) => [stop])),
    tools: sharesOf(
      read.map(({ record }) => record.turns.flatMap((turn) => turn.calls.map(({ name }) => name))),
    ),
  };
}

function lengthOf(texts: readonly (string | null)[]): number {
  return sum(texts.map((text) => text?.length ?? 0));
}

/** Share of the lists that contain each name, for the most frequent names. */
function sharesOf(lists: readonly (readonly string[])[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const list of lists) {
    for (const name of new Set(list)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a).slice(0, MAX_NAMES);
  return Object.fromEntries(sorted.map(([name, count]) => [name, count / lists.length]));
}
