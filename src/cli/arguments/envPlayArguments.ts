/** Understands the words behind `env play`. */

import { DEFAULT_CONFIG } from "../../shared/configNames.ts";
import {
  lastValue,
  numberOf,
  refuseFurther,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import type { ParsedFlags } from "./flags.ts";

/** Plays one task. */
export interface EnvPlayCommand extends WithOverrides, Sending {
  readonly kind: "env-play";
  readonly configPath: string;
  /** Null = the first one of the configuration that has the split. */
  readonly environment: string | null;
  /** Null = the first one of the environment. */
  readonly split: string | null;
  /** Counted in the split, from 0. */
  readonly task: number;
}

/** @throws AppError `bad-arguments` */
export function envPlayCommand(
  given: ParsedFlags,
  [environment, ...further]: readonly string[],
): EnvPlayCommand {
  refuseFurther(further, "env");
  return {
    ...sending(given, "env"),
    kind: "env-play",
    configPath: lastValue(given, "config_path") ?? DEFAULT_CONFIG,
    overrides: given.overrides,
    environment: environment ?? null,
    split: lastValue(given, "split") ?? null,
    task: numberOf(given, "env", "task") ?? 0,
  };
}
