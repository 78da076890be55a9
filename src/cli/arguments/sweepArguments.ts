/** Understands the words behind `sweep`. */

import {
  configCommand,
  numberOf,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import type { ParsedFlags } from "./flags.ts";

/** Runs all combinations of the values of a grid. */
export interface SweepCommand extends WithOverrides, Sending {
  readonly kind: "sweep";
  readonly configPath: string;
  /** `key=value,value` each. */
  readonly grid: readonly string[];
  /** How many runs continue at once, at least 1. */
  readonly parallel: number;
  readonly retriesFailed: boolean;
  /** True to show the runs, and start none. */
  readonly isShowOnly: boolean;
  readonly wantsJson: boolean;
  /** True when the user wants so many runs. */
  readonly isConfirmed: boolean;
}

/** @throws AppError `bad-arguments` */
export function sweepCommand(given: ParsedFlags): SweepCommand {
  return {
    ...configCommand(given, "sweep"),
    ...sending(given, "sweep"),
    grid: given.values.get("grid") ?? [],
    parallel: numberOf(given, "sweep", "parallel", { least: 1 }) ?? 1,
    retriesFailed: given.switches.has("retry-failed"),
    isShowOnly: given.switches.has("show"),
    wantsJson: given.switches.has("json"),
    isConfirmed: given.switches.has("yes"),
  };
}
