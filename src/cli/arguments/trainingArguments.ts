/** Parses the arguments of commands that train, evaluate, and control running trainings. */

import type { ControlCommand } from "../../shared/control.ts";
import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import { didYouMean } from "./flags.ts";
import type { GivenArguments } from "./givenArguments.ts";

export type TrainCommand = Extract<ReturnType<typeof trainCommand>, { readonly kind: "train" }>;
export type SweepCommand = ReturnType<typeof sweepCommand>;
export type RunControlCommand = ReturnType<typeof controlCommand>;

/** With `--dry_run`, runs everything up to the first update. */
export function trainCommand(given: GivenArguments) {
  const train = {
    configPath: given.configPath(),
    overrides: given.overrides,
    allowedOrigins: given.allowedOrigins(),
  };
  const groups = given.number("groups", { least: 1 });
  const isKept = given.has("keep");
  if (given.has("dry_run")) {
    return { ...train, kind: "dry-run" as const, groups: groups ?? DRY_RUN_GROUPS, isKept };
  }
  if (groups !== null || isKept) throw given.error("--groups and --keep need --dry_run");
  return { ...train, kind: "train" as const };
}

export function resumeCommand(given: GivenArguments) {
  return {
    kind: "resume" as const,
    folder: given.only("the run folder"),
    /** Null = the one recorded in the folder. */
    configPath: given.text("config_path"),
    overrides: given.overrides,
    allowedOrigins: given.allowedOrigins(),
  };
}

/** Evaluation flags that override the configuration's evaluation settings. */
const EVALUATION_FLAGS = {
  num_samples: (text: string) => `evaluation.num_samples=${text}`,
  rollouts_per_task: (text: string) => `evaluation.rollouts_per_task=${text}`,
  temperature: (text: string) => `evaluation.temperatures=[${text}]`,
} as const;

export function evaluateCommand(given: GivenArguments) {
  const { positionals: models } = given;
  const configPath = given.text("config_path");
  if (models.length === 0 && configPath === null) {
    throw given.error("evaluate needs a model or --config_path");
  }
  const settings = Object.entries(EVALUATION_FLAGS).flatMap(([flag, override]) => {
    const text = given.text(flag);
    return text === null ? [] : [override(text)];
  });
  return {
    kind: "evaluate" as const,
    /** Checkpoints, run folders and the base model; empty = the base model and the configuration's run. */
    models,
    /** Null = that of the first run folder. */
    configPath,
    /** Each `SPLIT` or `ENVIRONMENT=SPLIT,SPLIT`. */
    splits: given.texts("splits"),
    overrides: [...given.overrides, ...settings],
    wantsJson: given.has("json"),
    allowedOrigins: given.allowedOrigins(),
  };
}

export function sweepCommand(given: GivenArguments) {
  return {
    kind: "sweep" as const,
    configPath: given.configPath(),
    overrides: given.overrides,
    allowedOrigins: given.allowedOrigins(),
    /** Each `key=value,value`. */
    grid: given.texts("grid"),
    /** Number of runs in parallel, at least 1. */
    parallel: given.number("parallel", { least: 1 }) ?? 1,
    /** Steps after which only the better half goes on; null = all runs train to their end. Rewards of the first step show no setting. */
    halve: given.number("halve", { least: 2 }),
    retriesFailed: given.has("retry-failed"),
    /** True to show the runs without starting any. */
    isShowOnly: given.has("show"),
    wantsJson: given.has("json"),
    /** True if the user confirmed the number of runs. */
    isConfirmed: given.has("yes"),
  };
}

const ACTIONS = ["status", "pause", "continue", "save", "stop", "stop-now"] as const;

export function controlCommand(given: GivenArguments) {
  const [folder, word, ...settings] = given.positionals;
  if (folder === undefined || word === undefined) {
    throw given.error("control needs the run folder and an action");
  }
  const command = commandOf(word, settings, given);
  const wantsJson = given.has("json");
  if (wantsJson && command.action !== "status") throw given.error("--json is for status");
  return { kind: "control" as const, folder, command, wantsJson };
}

function commandOf(
  word: string,
  settings: readonly string[],
  given: GivenArguments,
): ControlCommand {
  if (word === "set") {
    const odd = settings.find((setting) => !setting.includes("="));
    if (odd !== undefined) throw given.error(`${JSON.stringify(odd)} is not KEY=VALUE`);
    if (settings.length === 0) throw given.error("set needs at least one KEY=VALUE");
    return { action: "change-settings", settings };
  }
  given.refuseFurther(settings);
  const action = ACTIONS.find((command) => command === word);
  if (action !== undefined) return { action };
  const nearest = nearestWord(word, [...ACTIONS, "set"]);
  const hint = nearest === null ? `It can be ${ACTIONS.join(", ")} or set` : didYouMean(nearest);
  throw given.error(`Unknown action ${JSON.stringify(word)}. ${hint}`);
}
