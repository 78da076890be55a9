/** Rules about the evaluated splits and about `save_best`. */

import { nearestWords } from "../../../shared/editDistance.ts";
import { isDatasetEnvironment } from "../fields/presets.ts";
import type { Config } from "../fields/schema.ts";
import { advice, conflict, type Finding } from "../source/finding.ts";
import type { KeyPath } from "../source/keyPath.ts";
import { removal, renamesOf, setTo } from "../source/remedy.ts";
import { nameFindings } from "./environmentRules.ts";
import { bestMetricNames } from "./evaluationCells.ts";

const ENVIRONMENT_NAME = /^[^/\s]+\/[^/\s]+$/;
/** The most metrics that a message lists. */
const MAX_NAMED = 4;

export function evaluationFindings(config: Config): readonly Finding[] {
  return [...splitFindings(config), ...bestFindings(config)];
}

function splitFindings({ evaluation, environments }: Config): readonly Finding[] {
  if (evaluation === null) return [];
  const trained = Object.keys(environments);
  return Object.entries(evaluation.splits).flatMap(([name, splits]) => {
    const path = ["evaluation", "splits", name];
    const misnamed = nameFindings(path);
    if (misnamed.length > 0) return misnamed;
    if (!trained.includes(name) && !ENVIRONMENT_NAME.test(name)) {
      return [unknownEnvironment(path, name, trained)];
    }
    if (!trained.includes(name) && isDatasetEnvironment(name)) {
      const message = "A dataset is described in `environments`. Add it there, with `tasks`.";
      return [conflict("TRL223", path, message, { part: "key" })];
    }
    const trainedSplits = Object.keys(environments[name]?.splits ?? {});
    return splits.flatMap((split, index) =>
      trainedSplits.includes(split)
        ? [advice("TRL211", [...path, String(index)], `The split \`${split}\` is also trained on.`)]
        : [],
    );
  });
}

function unknownEnvironment(path: KeyPath, name: string, trained: readonly string[]): Finding {
  const near = nearestWords(name, trained);
  const hint =
    near.length === 0
      ? "Write it as `Owner/Name` or `local/name`."
      : `Did you mean \`${near[0]}\`?`;
  const message = `\`${name}\` is neither an environment in this file nor a full name. ${hint}`;
  return conflict("TRL300", path, message, { part: "key", remedies: renamesOf(path, near) });
}

function bestFindings({ evaluation, save_best: metric }: Config): readonly Finding[] {
  if (metric === null) return [];
  const path = ["save_best"];
  if (evaluation === null) {
    const message = "`save_best` needs an evaluation: add `evaluation`, or remove `save_best`.";
    const remedies = [removal(path)];
    return [conflict("TRL220", path, message, { remedies })];
  }
  const names = bestMetricNames(evaluation);
  if (!names.includes(metric)) {
    const near = nearestWords(metric, names);
    const offered = (near.length === 0 ? names : near).slice(0, MAX_NAMED);
    const message = `The evaluation has no metric \`${metric}\`. It has ${offered.map((name) => `\`${name}\``).join(", ")}.`;
    return [conflict("TRL220", path, message, { remedies: offered.map((to) => setTo(path, to)) })];
  }
  if (evaluation.every !== null) return [];
  const every = ["evaluation", "every"];
  const message =
    "The run is evaluated only at its start and end, so there is nothing to choose from: set `every`.";
  const remedies = [setTo(every, 10, "Set evaluation.every to 10")];
  return [advice("TRL220", path, message, { relatedPaths: [["evaluation"]], remedies })];
}
