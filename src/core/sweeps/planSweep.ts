/** Plans the runs of a sweep from a configuration and a grid, or reports all problems before the first run starts. */

import { formatKey } from "../../shared/format.ts";
import { checkText } from "../config/check.ts";
import { NAMING_KEYS } from "../config/fields/runFields.ts";
import { isSame } from "../config/fields/sameValue.ts";
import type { Config } from "../config/fields/schema.ts";
import { type AppliedOverride, parseAssignment } from "../config/overrides.ts";
import { type ParseResult, parseConfig } from "../config/parse.ts";
import { type PlacedProblem, placeProblem, problemLine } from "../config/source/problem.ts";
import { settingsName } from "../runs/shownNames.ts";
import { combinationsOf, countCombinations, type Grid, gridProblem, parseGrid } from "./grid.ts";
import { plainName, runNames } from "./runNames.ts";

/** More runs are started only if the user explicitly asks for them. */
export const ASK_ABOVE = 100;
/** Limits the time of the check. */
const MAX_COMBINATIONS = 1_000;

/** Input of a sweep. */
export interface SweepRequest {
  readonly text: string;
  /** Path of the file for messages. */
  readonly path: string;
  /** `key=value,value` texts. */
  readonly grid: readonly string[];
  /** `key=value` texts, for all runs. */
  readonly overrides: readonly string[];
}

/** One run of a sweep. */
export interface Combination {
  /** From 0. */
  readonly index: number;
  /** `key=value` for each key of the grid. */
  readonly settings: readonly string[];
  /** Overrides of all runs, then the settings. */
  readonly overrides: readonly string[];
  /** Without the run's name. */
  readonly config: Config;
}

export interface SweepPlan {
  /** Empty for stages, which run one after another. */
  readonly grid: Grid;
  /** At least one. */
  readonly combinations: readonly Combination[];
  /** Overrides of all runs, with null instead of secrets, so that they can be stored. */
  readonly sharedOverrides: readonly string[];
  /** Overrides of all runs that contain secrets, as given. */
  readonly secretOverrides: readonly string[];
}

export type SweepCheck =
  | { readonly ok: true; readonly plan: SweepPlan }
  | { readonly ok: false; readonly problems: readonly SweepProblem[] };

export type SweepProblem = PlacedProblem & {
  /** The first combination with this problem, if not all have it. */
  readonly settings?: readonly string[] | undefined;
};

/** One line for a terminal. */
export function describeSweepProblem(problem: SweepProblem): string {
  const { settings } = problem;
  const line = problemLine(problem);
  return settings === undefined ? line : `${line} [with ${settings.join(" ")}]`;
}

/** Reads and checks every combination. Never throws. */
export function planSweep(request: SweepRequest): SweepCheck {
  const { grid, problems } = parseGrid(request.grid);
  if (problems.length > 0) return { ok: false, problems };
  const fault = gridFault(grid);
  if (fault !== null) return { ok: false, problems: [fault] };
  const all = combinationsOf(grid);
  const { shared, applied } = appliedOverrides(request, all[0] ?? []);
  const unfit = keyProblems(shared, applied, all[0] ?? []);
  if (unfit.length > 0) return { ok: false, problems: unfit };
  const checked = all.map((settings, index) => checkCombination(request, settings, index));
  const combinations = checked.flatMap(({ combination }) => combination ?? []);
  const joined = joinProblems(checked);
  const found = joined.length > 0 ? joined : duplicates(combinations);
  if (found.length > 0) return { ok: false, problems: found };
  const sharedOverrides = shared.map(({ text }) => text);
  const secretOverrides = request.overrides.filter((text) => !sharedOverrides.includes(text));
  return { ok: true, plan: { grid, combinations, sharedOverrides, secretOverrides } };
}

/** Display name of a combination's run. */
export function combinationName({ settings }: Pick<Combination, "settings">): string {
  return settingsName(settings) ?? "";
}

/** Overrides for a run of a sweep: its settings, and a name that is unique within the sweep. */
export function runOverrides({ overrides, config }: Combination, name: string): readonly string[] {
  return [
    ...overrides,
    `run_name=${name}`,
    // Otherwise, a tracker would show all runs of the sweep under this name.
    ...(config.wandb_run_name === null ? [] : ["wandb_run_name=null"]),
    ...(config.openreward_run_name === null ? [] : ["openreward_run_name=null"]),
  ];
}

/** True for stages, each of which begins when the previous one is done. */
export function isStaged({ grid }: Pick<SweepPlan, "grid">): boolean {
  return grid.length === 0;
}

/** Names of the runs of a sweep with this name. */
export function namesOfRuns(sweep: string, plan: SweepPlan): readonly string[] {
  const { combinations } = plan;
  if (isStaged(plan)) {
    return combinations.map(({ config }) => `${sweep}.${plainName(config.stage ?? "")}`);
  }
  return runNames(
    sweep,
    combinations.map(({ settings }) => settings),
  );
}

/** Name of a sweep, or of stages, for a configuration with this run name. */
export function sweepName(runName: string, plan: Pick<SweepPlan, "grid">): string {
  return `${plainName(runName)}-${isStaged(plan) ? "stages" : "sweep"}`;
}

/** Parsed overrides of all runs, and of a combination. */
function appliedOverrides({ text, path, overrides }: SweepRequest, settings: readonly string[]) {
  const { applied } = checkText(text, { path, overrides: [...overrides, ...settings] }).overridden;
  const own = applied.slice(overrides.length);
  // Invalid overrides are reported by each combination.
  const isWhole = own.length === settings.length;
  return { shared: applied.slice(0, overrides.length), applied: isWhole ? own : [] };
}

function gridFault(grid: Grid): PlacedProblem | null {
  const count = countCombinations(grid);
  if (grid.length === 0) {
    return gridProblem(
      null,
      "a sweep needs at least one key with its values, for example --grid seed=1,2.",
    );
  }
  if (count <= MAX_COMBINATIONS) return null;
  const product = grid.map(({ key, values }) => `${values.length} of ${key}`).join(" × ");
  return gridProblem(
    null,
    `${product} are ${count} runs, but a sweep has at most ${MAX_COMBINATIONS}. Use fewer values.`,
  );
}

/** Problems with keys that cannot be in a grid, regardless of values. */
function keyProblems(
  shared: readonly AppliedOverride[],
  applied: readonly AppliedOverride[],
  settings: readonly string[],
): readonly PlacedProblem[] {
  return applied.flatMap(({ path, text }, index): PlacedProblem | readonly PlacedProblem[] => {
    const key = formatKey(path);
    const problem = (message: string): PlacedProblem => gridProblem(text, message);
    if (NAMING_KEYS.has(key)) {
      return problem(
        `${key} cannot vary, because it does not change the training. Set it once for all runs.`,
      );
    }
    if (text !== settings[index]) {
      return problem(
        `${key} cannot vary, because it is a secret and would become part of a run's name.`,
      );
    }
    const twice = shared.find((other) => isSame(other.path, path));
    if (twice === undefined) return [];
    return problem(`${twice.text} sets ${key} for all runs. Remove one of the two.`);
  });
}

interface CheckedCombination {
  readonly settings: readonly string[];
  /** Null if it has problems. */
  readonly combination: Combination | null;
  readonly problems: readonly PlacedProblem[];
}

function checkCombination(
  { text, path, overrides: shared }: SweepRequest,
  settings: readonly string[],
  index: number,
): CheckedCombination {
  const overrides = [...shared, ...settings];
  const result = parseConfig(text, { path, overrides });
  const problems = result.ok
    ? runProblems(result.config, path)
    : configProblems(result, path, settings);
  const isSound = result.ok && problems.length === 0;
  const combination = isSound ? { index, settings, overrides, config: result.config } : null;
  return { settings, combination, problems };
}

function configProblems(
  { problems }: Extract<ParseResult, { ok: false }>,
  path: string,
  settings: readonly string[],
): readonly PlacedProblem[] {
  return problems
    .filter(({ severity }) => severity === "error")
    .map((problem) => {
      const isOfGrid = problem.override !== undefined && settings.includes(problem.override);
      return placeProblem(problem, path, isOfGrid ? "--grid" : "--overrides");
    });
}

/** Settings that are allowed for a single run, but not in a sweep. */
function runProblems(
  { max_steps, num_epochs, resume_from, stages }: Config,
  place: string,
): readonly PlacedProblem[] {
  if (stages !== null) {
    const message = `the runs of a sweep have no stages. Choose one: --stage=${Object.keys(stages)[0]}.`;
    return [{ severity: "error", place, message, path: ["stages"] }];
  }
  const isEndless = max_steps === null && num_epochs === null;
  const isElsewhere = resume_from !== null && !resume_from.startsWith("tinker://");
  const problems: PlacedProblem[] = [];
  if (isEndless) {
    const message = "a run without an end would block the others. Set max_steps or num_epochs.";
    problems.push({ severity: "error", place, message, path: ["max_steps"] });
  }
  if (isElsewhere) {
    const message = `resume_from is ${resume_from}, but a sweep resumes only its own runs. Remove it, or set it to a checkpoint tinker://….`;
    problems.push({ severity: "error", place, message, path: ["resume_from"] });
  }
  return problems;
}

/** Removes duplicates. A problem of only some combinations includes the first of them, unless its location is a flag. */
function joinProblems(checked: readonly CheckedCombination[]): readonly SweepProblem[] {
  const found = new Map<
    string,
    { problem: PlacedProblem; count: number; settings: readonly string[] }
  >();
  for (const { problems, settings } of checked) {
    for (const problem of problems) {
      const line = problemLine(problem);
      const first = found.get(line) ?? { problem, count: 0, settings };
      found.set(line, { ...first, count: first.count + 1 });
    }
  }
  return [...found.values()].map(({ problem, count, settings }) => {
    const isNamed = problem.place.startsWith("--") || count === checked.length;
    return isNamed ? problem : { ...problem, settings };
  });
}

function duplicates(combinations: readonly Combination[]): readonly PlacedProblem[] {
  const first = new Map<string, Combination>();
  return combinations.flatMap((combination): PlacedProblem | readonly PlacedProblem[] => {
    const content = JSON.stringify(combination.config);
    const other = first.get(content);
    first.set(content, other ?? combination);
    if (other === undefined) return [];
    const [one, two] = [other, combination].map(({ settings }) => settings.join(" "));
    return gridProblem(null, `${one} and ${two} train the same. Remove one of the values.`);
  });
}

/** Values by key, as written, from `key=value` texts. */
export function settingsByKey(settings: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    settings.map((setting) => {
      const assignment = parseAssignment(setting);
      return [assignment?.prefix.slice(0, -1) ?? setting, assignment?.value ?? ""];
    }),
  );
}
