/** Understands the words behind `train`. */

import { DRY_RUN_GROUPS } from "../../shared/dryRun.ts";
import {
  configCommand,
  numberOf,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export interface TrainCommand extends WithOverrides, Sending {
  readonly kind: "train";
  readonly configPath: string;
}

/** Everything of a training up to its first update. */
export interface DryRunCommand extends WithOverrides, Sending {
  readonly kind: "dry-run";
  readonly configPath: string;
  /** Tasks to play, at least 1. */
  readonly groups: number;
  /** True to leave a run folder. */
  readonly isKept: boolean;
}

/** @throws AppError `bad-arguments` */
export function trainCommand(given: ParsedFlags): TrainCommand | DryRunCommand {
  const train = { ...configCommand(given, "train"), ...sending(given, "train") };
  const groups = numberOf(given, "train", "groups", { least: 1 });
  const isKept = given.switches.has("keep");
  if (given.switches.has("dry_run")) {
    return { ...train, kind: "dry-run", groups: groups ?? DRY_RUN_GROUPS, isKept };
  }
  if (groups !== null || isKept) {
    throw argumentError("--groups and --keep need --dry_run", "train");
  }
  return train;
}
