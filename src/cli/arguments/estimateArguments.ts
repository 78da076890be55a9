/** Understands the words behind `estimate`. */

import {
  configCommand,
  lastValue,
  numberOf,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Says what a training is going to take. */
export interface EstimateCommand extends WithOverrides, Sending {
  readonly kind: "estimate";
  readonly configPath: string;
  /** Groups to play in each environment; null = none where a past run can be taken. */
  readonly groups: number | null;
  /** Folder of a past run; null = the newest that fits. */
  readonly from: string | null;
  /** True when groups may be played although they cost something. */
  readonly isConfirmed: boolean;
  readonly wantsJson: boolean;
}

/** @throws AppError `bad-arguments` */
export function estimateCommand(given: ParsedFlags): EstimateCommand {
  const groups = numberOf(given, "estimate", "groups", { least: 1 });
  const from = lastValue(given, "from") ?? null;
  if (groups !== null && from !== null) {
    throw argumentError(
      "--groups samples new groups and --from reads a past run: use one of them",
      "estimate",
    );
  }
  return {
    ...configCommand(given, "estimate"),
    groups,
    from,
    isConfirmed: given.switches.has("yes"),
    wantsJson: given.switches.has("json"),
    ...sending(given, "estimate"),
  };
}
