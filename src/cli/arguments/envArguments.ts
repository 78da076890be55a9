/** Parses the arguments of `env`. */

import { ENVIRONMENT_TEMPLATES } from "../../core/scaffold/environmentTemplates.ts";
import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import type { PlayerChoice } from "../../trainer/play/playTask.ts";
import type { GivenArguments } from "./givenArguments.ts";

export type EnvNewCommand = ReturnType<typeof envNewCommand>;
export type EnvPlayCommand = ReturnType<typeof envPlayCommand>;
export type EnvCheckCommand = ReturnType<typeof envCheckCommand>;

const KINDS = ENVIRONMENT_TEMPLATES.map(({ kind }) => kind);
const MAX_TASKS = 1_000;

export function envCommand(given: GivenArguments) {
  const command = subcommandOf(given);
  given.refuseUnread();
  return command;
}

function subcommandOf(given: GivenArguments) {
  const [word, ...rest] = given.positionals;
  switch (word) {
    case "new":
      return envNewCommand(given, rest);
    case "play":
      return envPlayCommand(given, rest);
    case "check":
      return envCheckCommand(given, rest);
    default:
      throw given.error("env needs new, play or check");
  }
}

/** Creates a new environment in Python. */
function envNewCommand(given: GivenArguments, [name, ...further]: readonly string[]) {
  if (name === undefined) throw given.error("env new needs a name");
  given.refuseFurther(further);
  return {
    kind: "env-new" as const,
    name,
    template: given.oneOf("template", KINDS, given.text("template") ?? "question"),
    /** The configuration to add it to; null = `tinker-config.yaml` in the working directory. */
    configPath: given.text("config_path"),
    /** Whether to create a virtual environment; null = ask on a terminal, otherwise no. */
    wantsVenv: venvOf(given),
  };
}

function venvOf(given: GivenArguments): boolean | null {
  const [wants, refuses] = [given.has("venv"), given.has("no-venv")];
  if (wants && refuses) throw given.error("--venv and --no-venv exclude each other");
  return wants || refuses ? wants : null;
}

/** Plays tasks. */
function envPlayCommand(given: GivenArguments, words: readonly string[]) {
  return {
    kind: "env-play" as const,
    /** Null = the first environment in the configuration that has the split. */
    environment: given.atMostOne(words),
    allowedOrigins: given.allowedOrigins(),
    configPath: given.text("config_path") ?? DEFAULT_CONFIG,
    overrides: given.overrides,
    /** Null = the environment's first split. */
    split: given.text("split"),
    /** Index in the split, from 0. */
    task: given.number("task") ?? 0,
    /** Number of tasks, starting at `task`. */
    tasks: given.number("tasks", { least: 1, most: MAX_TASKS }) ?? 1,
    /** Null = a person, or lines from a script. */
    player: playerOf(given),
    byAgent: given.has("agent"),
    isStored: !given.has("no-save"),
  };
}

function playerOf(given: GivenArguments): Exclude<PlayerChoice, { readonly kind: "moves" }> | null {
  const player = given.text("player");
  if (player === null) return null;
  if (player === "random") return { kind: "random", seed: given.number("seed") ?? 0 };
  if (!/^https?:\/\//.test(player)) return { kind: "model", target: player };
  if (!URL.canParse(player)) throw given.error(`--player ${player} is not a valid address`);
  const model = given.text("model");
  if (model === null) {
    throw given.error(`--player ${player} needs --model NAME, as its server calls it`);
  }
  return { kind: "address", url: player, model, key: given.text("key") ?? "OPENAI_API_KEY" };
}

/** Checks whether environments are fit for training. */
function envCheckCommand(given: GivenArguments, names: readonly string[]) {
  const url = given.text("url");
  if (url !== null && !/^https?:\/\//.test(url)) {
    throw given.error(`--url is ${JSON.stringify(url)}, not http://HOST:PORT`);
  }
  const configPath = given.text("config_path");
  const signal = signalOf(given);
  if (url !== null && (configPath !== null || signal !== null)) {
    const problem = "--url is for a server without a configuration, so without -c and --model";
    throw given.error(problem);
  }
  return {
    kind: "env-check" as const,
    /** Empty = all in the configuration, or on the server. */
    names,
    /** Null = the default configuration in the working directory, if it exists and has the names. */
    configPath,
    /** Address of a server; null = as configured. */
    url,
    /** Null = the first training split. */
    split: given.text("split"),
    /** Number of prompts to read per split. */
    tasks: given.number("tasks", { least: 1, most: MAX_TASKS }) ?? 32,
    seed: given.number("seed") ?? 0,
    /** The model whose rollouts to compare; null = none. */
    signal,
    overrides: given.overrides,
    wantsJson: given.has("json"),
    /** File for the JSON output; null = none. */
    output: given.text("output"),
    allowedOrigins: given.allowedOrigins(),
  };
}

function signalOf(given: GivenArguments) {
  const model = given.text("model");
  if (model === null) return null;
  return {
    model,
    groups: given.number("groups", { least: 1, most: MAX_TASKS }) ?? 16,
    // Comparison needs at least two.
    groupSize: given.number("group_size", { least: 2, most: MAX_TASKS }) ?? 8,
  };
}
