/** Understands the words behind `env play`. */

import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import type { PlayerChoice } from "../../trainer/play/playTask.ts";
import {
  lastValue,
  numberOf,
  refuseFurther,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Plays tasks. */
export interface EnvPlayCommand extends WithOverrides, Sending {
  readonly kind: "env-play";
  readonly configPath: string;
  /** Null = the first one of the configuration that has the split. */
  readonly environment: string | null;
  /** Null = the first one of the environment. */
  readonly split: string | null;
  /** Counted in the split, from 0. */
  readonly task: number;
  /** Number of tasks, from `task` on. */
  readonly tasks: number;
  /** Null = a person, or the lines of a script. */
  readonly player: Exclude<PlayerChoice, { readonly kind: "moves" }> | null;
  readonly byAgent: boolean;
  readonly isStored: boolean;
}

const COMMAND = "env";
const MAX_TASKS = 1_000;
const KEY = "OPENAI_API_KEY";

/** @throws AppError `bad-arguments` */
export function envPlayCommand(
  given: ParsedFlags,
  [environment, ...further]: readonly string[],
): EnvPlayCommand {
  refuseFurther(further, COMMAND);
  return {
    ...sending(given, COMMAND),
    kind: "env-play",
    configPath: lastValue(given, "config_path") ?? DEFAULT_CONFIG,
    overrides: given.overrides,
    environment: environment ?? null,
    split: lastValue(given, "split") ?? null,
    task: numberOf(given, COMMAND, "task") ?? 0,
    tasks: numberOf(given, COMMAND, "tasks", { least: 1, most: MAX_TASKS }) ?? 1,
    player: playerOf(given),
    byAgent: given.switches.has("agent"),
    isStored: !given.switches.has("no-save"),
  };
}

function playerOf(given: ParsedFlags): EnvPlayCommand["player"] {
  const player = lastValue(given, "player");
  if (player === undefined) return null;
  if (player === "random") return { kind: "random", seed: numberOf(given, COMMAND, "seed") ?? 0 };
  if (!/^https?:\/\//.test(player)) return { kind: "model", target: player };
  if (!URL.canParse(player)) throw argumentError(`--player ${player} is no address`, COMMAND);
  const model = lastValue(given, "model");
  if (model === undefined) {
    throw argumentError(`--player ${player} needs --model NAME, as its server calls it`, COMMAND);
  }
  return { kind: "address", url: player, model, key: lastValue(given, "key") ?? KEY };
}
