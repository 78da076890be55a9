/** Understands the words behind `env check`. */

import {
  lastValue,
  numberOf,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Checks whether environments are fit to train on. */
export interface EnvCheckCommand extends WithOverrides, Sending {
  readonly kind: "env-check";
  /** Empty = all of the configuration, or of the server. */
  readonly names: readonly string[];
  /** Null = the usual one of the working directory if it is there and has the names. */
  readonly configPath: string | null;
  /** Address of a server; null = the one of the configuration. */
  readonly url: string | null;
  /** Null = the first one to train on. */
  readonly split: string | null;
  /** Prompts to read per split. */
  readonly tasks: number;
  readonly seed: number;
  /** The model whose rollouts are compared; null = none. */
  readonly signal: {
    readonly model: string;
    readonly groups: number;
    readonly groupSize: number;
  } | null;
  readonly wantsJson: boolean;
  /** File for the JSON value; null = none. */
  readonly output: string | null;
}

const COMMAND = "env";
const TASKS = 32;
const MAX_TASKS = 1_000;
const GROUPS = 16;
const GROUP_SIZE = 8;
/** Less cannot be compared. */
const LEAST_GROUP_SIZE = 2;

/** @throws AppError `bad-arguments` */
export function envCheckCommand(given: ParsedFlags, names: readonly string[]): EnvCheckCommand {
  const configPath = lastValue(given, "config_path") ?? null;
  const url = lastValue(given, "url") ?? null;
  if (url !== null && !/^https?:\/\//.test(url)) {
    throw argumentError(`--url is ${JSON.stringify(url)}, not http://HOST:PORT`, COMMAND);
  }
  return {
    kind: "env-check",
    names,
    configPath,
    url,
    split: lastValue(given, "split") ?? null,
    tasks: numberOf(given, COMMAND, "tasks", { least: 1, most: MAX_TASKS }) ?? TASKS,
    seed: numberOf(given, COMMAND, "seed") ?? 0,
    signal: signalOf(given),
    overrides: given.overrides,
    wantsJson: given.switches.has("json"),
    output: lastValue(given, "output") ?? null,
    ...sending(given, COMMAND),
  };
}

function signalOf(given: ParsedFlags): EnvCheckCommand["signal"] {
  const model = lastValue(given, "model");
  if (model === undefined) return null;
  const least = LEAST_GROUP_SIZE;
  return {
    model,
    groups: numberOf(given, COMMAND, "groups", { least: 1, most: MAX_TASKS }) ?? GROUPS,
    groupSize: numberOf(given, COMMAND, "group_size", { least, most: MAX_TASKS }) ?? GROUP_SIZE,
  };
}
