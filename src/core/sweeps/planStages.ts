/** Plans the stages of a configuration as consecutive runs: a sweep without a grid and with one run per stage. */

import { checkText } from "../config/check.ts";
import type { Config } from "../config/fields/schema.ts";
import { parseConfig } from "../config/parse.ts";
import { valueAt } from "../config/rules/issues.ts";
import { placeProblem } from "../config/source/problem.ts";
import { stageNames } from "../config/stages.ts";
import type { Combination, SweepCheck, SweepRequest } from "./planSweep.ts";

/** The override that selects a stage. */
function stageOverride(name: string): string {
  return `stage=${name}`;
}

/** Reads and checks every stage. Never throws. */
export function planStages({
  text,
  path,
  overrides: given,
}: Omit<SweepRequest, "grid">): SweepCheck {
  const { problems, written, overridden } = checkText(text, { path, overrides: given });
  const errors = problems.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    return { ok: false, problems: errors.map((problem) => placeProblem(problem, path)) };
  }
  const combinations = stageNames(written).flatMap((name, index): readonly Combination[] => {
    const settings = [stageOverride(name)];
    const config = stageConfig({ text, path, overrides: given }, name);
    return config === null ? [] : [{ index, settings, overrides: [...given, ...settings], config }];
  });
  const sharedOverrides = overridden.applied.map((applied) => applied.text);
  const secretOverrides = given.filter((each) => !sharedOverrides.includes(each));
  return { ok: true, plan: { grid: [], combinations, sharedOverrides, secretOverrides } };
}

/** Configuration of one stage; null if it is invalid. */
export function stageConfig(
  { text, path, overrides }: Omit<SweepRequest, "grid">,
  name: string,
): Config | null {
  const parsed = parseConfig(text, { path, overrides: [...overrides, stageOverride(name)] });
  return parsed.ok ? parsed.config : null;
}

/** Whether a stage has `init_from: null`, which selects the base model. Without this key, it starts from the previous stage's weights. */
export function beginsWithBase({ text, path, overrides }: Omit<SweepRequest, "grid">): boolean {
  const [part] = checkText(text, { path, overrides }).parts;
  return valueAt(part?.overridden.values, ["init_from"]) === null;
}
