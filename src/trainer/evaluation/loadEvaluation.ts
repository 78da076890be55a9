/** The configuration of a standalone evaluation, with the splits named by the user. */

import { EMBEDDED_ENVIRONMENTS } from "../../core/config/editing/catalogue/embedded.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import { trainedSplits } from "../../core/config/taskChoices.ts";
import { AppError } from "../../core/errors.ts";
import type { FileSystem } from "../../core/ports.ts";
import { type StartConfig, type StartRequest, startConfig } from "../../node/startConfig.ts";
import { type LoadedConfig, loadStart } from "../config/configFiles.ts";
import { requireJudged } from "../config/requireJudged.ts";
import { type KeyPermission, loadNamed, type NamedStart } from "../config/requireNamed.ts";
import type { EvaluateRequest } from "../plan/types.ts";
import { firstRunFolder } from "./evaluatedModels.ts";

/**
 * Always has `evaluation`.
 * @throws AppError `bad-arguments` without a configuration, `config-invalid`, also without splits, `config-not-found`
 */
export async function loadEvaluation(
  fileSystem: FileSystem,
  request: EvaluateRequest,
  permission: KeyPermission = {},
): Promise<LoadedConfig> {
  const start = await startConfig(fileSystem, await startOf(fileSystem, request));
  // Checked before anything is read, so that errors reveal nothing about a changed file.
  if (permission.launchRequest !== undefined) requireJudged(permission.launchRequest, start);
  const { splits } = request;
  if (request.isCollecting === true) {
    return collecting(await loadNamed(withoutEvaluation(start), permission, start), start);
  }
  if (splits.length === 0) {
    requireSplits(start);
    return loadNamed(start, permission);
  }
  // The evaluation's settings need its splits, which need the environments, so those are loaded first.
  const { config, notes } = await loadNamed(withoutEvaluation(start), permission, start);
  const named = splitsByEnvironment(splits, Object.keys(config.environments));
  const overrides = [...start.overrides, splitsOverride(named)];
  const loaded = loadStart({ ...start, overrides });
  return { ...loaded, warnings: [...notes, ...loaded.warnings] };
}

/** The evaluation with which `method: collect` plays the training tasks. @throws AppError `data-from-test` */
export function collectingStart(loaded: LoadedConfig, start: StartConfig): LoadedConfig {
  const { samples_per_task: samples, max_tasks: tasks, environments } = loaded.config;
  const added = [
    `evaluation.rollouts_per_task=${samples}`,
    `evaluation.num_samples=${tasks}`,
    "evaluation.temperatures=[1]",
  ];
  // A resumed run already has these overrides; they are dropped so that it does not seem to evaluate its own training tasks.
  const given = [...added, splitsOverride(trainedSplits(environments))];
  const own = { ...start, overrides: start.overrides.filter((text) => !given.includes(text)) };
  const { config } = own.overrides.length === start.overrides.length ? loaded : loadStart(own);
  const notes = loaded.warnings;
  return collecting(
    { ...loaded, config, notes },
    { ...own, overrides: [...own.overrides, ...added] },
  );
}

function splitsOverride(splits: Readonly<Record<string, readonly string[]>>): string {
  return `evaluation.splits=${JSON.stringify(splits)}`;
}

/** The training splits. @throws AppError `data-from-test` for one reserved for evaluation */
function collecting({ config, notes }: NamedStart, start: StartConfig): LoadedConfig {
  const splits = trainedSplits(config.environments);
  const kept = config.evaluation?.splits ?? {};
  for (const [name, own] of Object.entries(splits)) {
    const measured = own.find((split) => split === "test" || kept[name]?.includes(split));
    if (measured === undefined) continue;
    throw new AppError(
      "data-from-test",
      `Split ${measured} of ${name} is reserved for evaluation: a model trained on its tasks could no longer be evaluated on them. Collect from another split.`,
      { configPath: `environments.${name}.splits` },
    );
  }
  const overrides = [...start.overrides, splitsOverride(splits)];
  const loaded = loadStart({ ...start, overrides });
  // Without the warnings of `loaded`, which say that these splits are trained on: they are collected for just that.
  return { ...loaded, warnings: notes };
}

function withoutEvaluation(start: StartConfig): StartConfig {
  const others = (all: readonly string[]) => all.filter((text) => !text.startsWith("evaluation."));
  const { named } = start;
  return {
    ...start,
    overrides: others(start.overrides),
    named: named === null ? null : { ...named, overrides: others(named.overrides) },
  };
}

/** Without splits, other evaluation settings would be rejected with a misleading error. @throws AppError `config-invalid` */
function requireSplits(start: StartConfig): void {
  if (start.overrides.some((override) => override.startsWith("evaluation.splits"))) return;
  const { config } = loadStart(withoutEvaluation(start));
  if (config.evaluation === null) throw noEvaluation(config);
}

/** Suggests the splits of embedded environments and the training splits of others. */
function noEvaluation({ environments }: Config): AppError {
  const known = Object.entries(environments).map(([name, { splits }]) => {
    const embedded = EMBEDDED_ENVIRONMENTS.find((each) => each.name === name);
    const all = embedded?.splits?.map((split) => split.name);
    if (all !== undefined) return `${name} has ${all.join(", ")}.`;
    return `${name} is trained on ${Object.keys(splits).join(", ")}.`;
  });
  return new AppError(
    "config-invalid",
    `The configuration has no key evaluation, which says which tasks to evaluate on. Add it, or specify splits: --splits test. ${known.join(" ")}`,
    { configPath: "evaluation" },
  );
}

async function startOf(
  fileSystem: FileSystem,
  { configPath, run, models, overrides = [] }: EvaluateRequest,
): Promise<StartRequest> {
  if (run !== undefined) return { resume: run, overrides };
  if (configPath !== null) return { configPath, overrides };
  const resume = await firstRunFolder(fileSystem, models);
  if (resume !== null) return { resume, overrides };
  throw new AppError(
    "bad-arguments",
    `None of these is a run folder: ${models.join(", ")}. Add --config_path FILE to say which environments to use, or name a run folder.`,
  );
}

/** @throws AppError `bad-arguments` */
function splitsByEnvironment(
  texts: readonly string[],
  environments: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const found = new Map<string, Set<string>>();
  for (const text of texts) {
    const [left, right] = partsOf(text);
    const names = right.split(",").map((name) => name.trim());
    if (names.includes("")) {
      throw new AppError(
        "bad-arguments",
        `--splits ${text} has no split. Write a split, or ENVIRONMENT=SPLIT,SPLIT.`,
      );
    }
    for (const environment of left === null ? environments : [left]) {
      const splits = found.get(environment) ?? new Set();
      for (const name of names) splits.add(name);
      found.set(environment, splits);
    }
  }
  return Object.fromEntries([...found].map(([environment, splits]) => [environment, [...splits]]));
}

function partsOf(text: string): readonly [string | null, string] {
  const at = text.lastIndexOf("=");
  return at === -1 ? [null, text] : [text.slice(0, at), text.slice(at + 1)];
}
