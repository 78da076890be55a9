/** Measures a run from its last metrics, for hints in its configuration. */

import { sum } from "../../shared/mean.ts";
import type { MeasuredEnvironment, MeasuredRun } from "../config/editing/display/measuredRun.ts";
import { isJsonObject } from "../json.ts";
import type { FolderFiles } from "../ports.ts";
import { runPaths } from "../runFolder/files/layout.ts";
import { readResolvedConfig } from "../runFolder/files/wholeFiles.ts";
import { metricNames } from "../runFolder/metrics/metrics.ts";
import { flattenMetrics, type MetricsRow } from "../runFolder/metrics/metricsTree.ts";
import { decidingReward } from "../runFolder/metrics/trendMetrics.ts";
import { usageOfRow } from "../runFolder/metrics/usageOfRow.ts";
import { countTokens, TOKEN_KINDS } from "../usage/tokenUsage.ts";
import { mean } from "../util/stats.ts";
import { lastRows, totalSteps, usedBy } from "./runList.ts";

/** Null for a run without a completed step. @throws AppError `file-unreadable`, `folder-unsafe` */
export async function measureRun(
  files: FolderFiles,
  { folder, name, isLive }: Pick<MeasuredRun, "name" | "isLive"> & { readonly folder: string },
): Promise<MeasuredRun | null> {
  const { metrics } = runPaths(folder);
  const { rows } = await lastRows(files, metrics, (await files.size(metrics)) ?? 0);
  return measuredRun({ name, isLive }, rows, await readResolvedConfig(files, folder));
}

function measuredRun(
  run: Pick<MeasuredRun, "name" | "isLive">,
  rows: readonly MetricsRow[],
  settings: unknown,
): MeasuredRun | null {
  const last = rows.at(-1);
  if (last === undefined) return null;
  const read = new Measured(rows);
  const used = usedBy((name) => read.last(name));
  return {
    ...run,
    steps: last.step + 1,
    totalSteps: totalSteps(last),
    measuredSteps: rows.length,
    settings,
    step: {
      tokens: read.meanSum(TOKEN_KINDS.map((kind) => `tokens/${kind}`)),
      costUsd: read.mean("cost/step_usd"),
      seconds: read.mean("time/total_s"),
      gradientNorm: read.mean("optim/grad_norm"),
    },
    used: {
      tokens: used?.tokens ?? null,
      costUsd: used?.costUsd ?? null,
      seconds: read.last("progress/elapsed_s"),
    },
    evaluation: {
      tokenShare: evaluationShare(last),
      costUsd: read.last("cost/evaluation_usd"),
    },
    secondsLeft: read.last("progress/eta_s"),
    learningRate: read.last("optim/lr"),
    reward: mean(rows.flatMap((row) => decidingReward(row) ?? [])),
    turns: {
      cut: read.mean("rollout/turn_truncated_frac"),
      meanTokens: read.mean("rollout/tokens_per_turn/mean"),
      mostTokens: read.most("rollout/tokens_per_turn/max"),
    },
    rollouts: {
      full: read.stopShare("rollout", "max_tokens"),
      meanTokens: read.mean("rollout/total_tokens/mean"),
      mostTokens: read.most("rollout/total_tokens/max"),
      timedOut: read.stopShare("rollout", "rollout_timeout"),
    },
    mixedGroups: read.mean("group/frac_mixed"),
    environments: environmentsOf(read, settings),
  };
}

function evaluationShare(row: MetricsRow): number | null {
  const usage = usageOfRow(row);
  if (usage === null) return null;
  const [evaluated, others] = [countTokens(usage.evaluation), countTokens(usage.cumulative)];
  return evaluated === 0 ? null : evaluated / (evaluated + others);
}

function environmentsOf(
  read: Measured,
  settings: unknown,
): Readonly<Record<string, MeasuredEnvironment>> {
  const environments = isJsonObject(settings) ? settings["environments"] : null;
  const names = isJsonObject(environments) ? Object.keys(environments) : [];
  return Object.fromEntries(
    [...metricNames(names)].map(([name, short]) => {
      const prefix = `rollout/env/${short}`;
      const measured = {
        reward: read.mean(`${prefix}/reward/mean`),
        success: read.mean(`${prefix}/success_frac`),
        meanTurns: read.mean(`${prefix}/turns/mean`),
        outOfTurns: read.stopShare(prefix, "max_turns"),
      };
      return [name, measured];
    }),
  );
}

/** Values from a few rows by flat metric name; null for metrics that no row has. */
class Measured {
  readonly #rows: readonly ReturnType<typeof flattenMetrics>[];

  constructor(rows: readonly MetricsRow[]) {
    this.#rows = rows.map(flattenMetrics);
  }

  mean(name: string): number | null {
    return mean(this.#values(name));
  }

  most(name: string): number | null {
    const values = this.#values(name);
    return values.length === 0 ? null : Math.max(...values);
  }

  last(name: string): number | null {
    const value = this.#rows.at(-1)?.[name];
    return typeof value === "number" ? value : null;
  }

  /** Mean over rows of the sum of these metrics. */
  meanSum(names: readonly string[]): number | null {
    const sums = this.#rows.flatMap((row) => {
      const values = names.map((name) => row[name]).filter((value) => typeof value === "number");
      return values.length === 0 ? [] : [sum(values)];
    });
    return mean(sums);
  }

  /** Rows contain only stop reasons that occurred in the step. Null if no row contains any. */
  stopShare(parent: string, reason: string): number | null {
    const prefix = `${parent}/stop_reason/`;
    const named = this.#rows.filter((row) =>
      Object.keys(row).some((name) => name.startsWith(prefix)),
    );
    return mean(
      named.map((row) => {
        const share = row[`${prefix}${reason}/frac`];
        return typeof share === "number" ? share : 0;
      }),
    );
  }

  #values(name: string): readonly number[] {
    return this.#rows.map((row) => row[name]).filter((value) => typeof value === "number");
  }
}
