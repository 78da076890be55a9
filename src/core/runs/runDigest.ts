/** Facts about a run for the table of runs, beyond its last rows. Updated incrementally when its files grow. */

import * as z from "zod";
import { NO_BEST } from "../../shared/bestReward.ts";
import { filesId, type RunFile } from "../../shared/runFile.ts";
import { LISTED_METRICS, type RunDigestView } from "../../shared/runsPage.ts";
import { firingAfter } from "../alarms/alarmFacts.ts";
import type { FolderFiles } from "../ports.ts";
import { cellName, readEvaluations } from "../runFolder/evaluationLog.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readLines } from "../runFolder/files/lineReader.ts";
import { elapsedSeconds, type MetricsRow, metricAt } from "../runFolder/metrics/metricsTree.ts";
import { decidingReward, withStepReward } from "../runFolder/metrics/trendMetrics.ts";
import { isMetricsRow } from "../runFolder/reader.ts";
import { usedBy } from "./runList.ts";

const bound = z.number().nullable();
const interval = z.object({ mean: z.number(), low: bound, high: bound });

/** Plain data that can be stored between sessions. */
export const runDigestSchema = z.object({
  /** The {@link filesId} of the files that it was read from. */
  source: z.string(),
  /** Where the next read of `metrics.jsonl` begins. */
  offset: z.number().int().nonnegative(),
  /** End of the stored curves; 0 = none. */
  curvesAt: z.number().int().nonnegative(),
  evaluationBytes: z.number().int().nonnegative(),
  best: z.object({ value: z.number(), step: z.number() }).readonly().nullable(),
  /** Rewards needed to compute the next step's best. A digest without them is read again. */
  recent: z.array(z.number()).readonly(),
  rewardSum: z.number(),
  rewardCount: z.number().int().nonnegative(),
  seconds: z.number(),
  /** Until its last row; null if unknown. */
  used: z.object({ tokens: z.number(), costUsd: z.number().nullable() }).readonly().nullable(),
  metrics: z.partialRecord(z.enum(LISTED_METRICS), z.number()).readonly(),
  alarms: z.number().int().nonnegative(),
  evaluations: z
    .record(
      z.string(),
      interval
        .extend({
          step: z.number(),
          failed: z.number(),
          model: z.string().exactOptional(),
        })
        .readonly(),
    )
    .readonly(),
});

export type RunDigest = Readonly<z.infer<typeof runDigestSchema>>;

type OnRow = (row: MetricsRow) => void;

/** More cells than any evaluation has. */
const MAX_CELLS = 50;

function emptyDigest(source: string): RunDigest {
  return {
    source,
    offset: 0,
    curvesAt: 0,
    evaluationBytes: 0,
    ...NO_BEST,
    rewardSum: 0,
    rewardCount: 0,
    seconds: 0,
    used: null,
    metrics: {},
    alarms: 0,
    evaluations: {},
  };
}

/**
 * Returns `before` if nothing was added to the files. `onRow` is called with each new row. @throws AppError `file-unreadable`,
 * `folder-unsafe`
 */
export async function readDigest(
  files: FolderFiles,
  folder: string,
  file: Pick<RunFile, "runId" | "generation">,
  before: RunDigest | undefined,
  onRow?: OnRow,
): Promise<RunDigest> {
  const source = filesId(file);
  const size = (await files.size(runPaths(folder).metrics)) ?? 0;
  const isKnown = before?.source === source && before.offset <= size;
  const known = isKnown ? before : emptyDigest(source);
  const grown = await readRows(files, folder, known, onRow);
  const { evaluations } = runPaths(folder);
  const evaluationBytes = (await files.size(evaluations)) ?? 0;
  if (evaluationBytes === grown.evaluationBytes) return grown;
  return { ...grown, evaluationBytes, evaluations: await newestResults(files, folder) };
}

export function digestView(digest: RunDigest): RunDigestView {
  const { best, rewardSum, rewardCount, seconds, metrics, alarms, evaluations } = digest;
  const mean = rewardCount === 0 ? null : rewardSum / rewardCount;
  return { best, mean, seconds, metrics, alarms, evaluations };
}

async function readRows(
  files: FolderFiles,
  folder: string,
  before: RunDigest,
  onRow: OnRow = () => undefined,
): Promise<RunDigest> {
  const path = runPaths(folder).metrics;
  if (((await files.size(path)) ?? 0) === before.offset) return before;
  let digest = before;
  for await (const { value, offset, length } of readLines(files, path, before.offset)) {
    if (isMetricsRow(value)) {
      digest = withRow(digest, value);
      onRow(value);
    }
    digest = { ...digest, offset: offset + length + 1 };
  }
  return digest;
}

function withRow(before: RunDigest, row: MetricsRow): RunDigest {
  const reward = decidingReward(row);
  return {
    ...before,
    ...withStepReward(before, row),
    rewardSum: before.rewardSum + (reward ?? 0),
    rewardCount: before.rewardCount + (reward === null ? 0 : 1),
    seconds: elapsedSeconds(row, before.seconds),
    used: usedBy((name) => metricAt(row, name)) ?? before.used,
    metrics: listedMetrics(row),
    alarms: firingAfter(row).size,
  };
}

function listedMetrics(row: MetricsRow): RunDigest["metrics"] {
  const found = LISTED_METRICS.map((name) => [name, metricAt(row, name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== null));
}

async function newestResults(
  files: FolderFiles,
  folder: string,
): Promise<RunDigest["evaluations"]> {
  const found = (await readEvaluations(files, folder)).flatMap(({ step, model, results }) =>
    results.map((result) => {
      const { rewardMean: mean, low, high, failed } = result;
      const of = model === undefined ? {} : { model: model.name };
      return [cellName(result), { mean, low, high, step, failed, ...of }] as const;
    }),
  );
  return Object.fromEntries([...new Map(found)].slice(0, MAX_CELLS));
}
