/** A side-by-side comparison of runs as data. */

import { flatSettings, SettingsTable } from "../../core/compare/settingsTable.ts";
import type { Json } from "../../core/json.ts";
import { describeRun } from "../../core/outputs/runOutput.ts";
import { readResolvedConfig } from "../../core/runFolder/files/wholeFiles.ts";
import { metricAt } from "../../core/runFolder/metrics/metricsTree.ts";
import type { ListedRun } from "../../core/runs/runList.ts";
import { endMeans } from "../../core/util/stats.ts";
import { sha256 } from "../../node/hash.ts";
import { decidingPointOf } from "../../shared/trendPoint.ts";
import { plainJson, type ToolSources } from "../tools/runTools.ts";

const REWARD = "rollout/reward/mean";
/** Maximum number of steps averaged at each end. */
const ENDS = 10;

/** `metrics` are additional to the mean reward. @throws AppError `file-unreadable` */
export async function comparison(
  sources: Pick<ToolSources, "filesOf" | "nameOf" | "now">,
  runs: readonly ListedRun[],
  metrics: readonly string[],
): Promise<Json> {
  const table = new SettingsTable();
  const described = [];
  for (const run of runs) {
    const { folder } = run;
    const files = sources.filesOf(folder);
    const config = await readResolvedConfig(files, folder);
    if (config !== undefined)
      table.set(folder, flatSettings(config, { shorten: (value) => value, sha256 }));
    const { steps, evaluations } = await describeRun(files, {
      folder,
      run,
      nowMs: sources.now(),
      maxSteps: Number.POSITIVE_INFINITY,
    });
    const rows = steps.map((step) => step.metrics);
    const rewards = steps.flatMap(
      ({ step, metrics: own }) => decidingPointOf(step, (name) => metricAt(own, name))?.value ?? [],
    );
    described.push({
      run: sources.nameOf(folder),
      phase: run.phase,
      steps: rows.length,
      costUsd: run.used?.costUsd ?? null,
      metrics: Object.fromEntries([
        [REWARD, endMeans(rewards, ENDS)],
        ...metrics.map((name) => [name, ends(rows, name)]),
      ]),
      lastEvaluation: evaluations.at(-1) ?? null,
      folder,
    });
  }
  return plainJson({
    differingSettings: table.differing(),
    runs: described.map(({ folder, ...each }) => ({ ...each, settings: table.of(folder) })),
  });
}

/** Means over the first and the last `ENDS` steps with a value; null if there are none. */
function ends(rows: readonly Readonly<Record<string, unknown>>[], name: string) {
  const values = rows.map((row) => row[name]).filter((value) => typeof value === "number");
  return endMeans(values, ENDS);
}
