/** Understands the words behind `show`. */

import { numberOf, onlyPositional, type Sending, sending } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

/** Numbers of steps, groups and rollouts count from 1, as on the screen. */
export interface ShowCommand extends Sending {
  readonly kind: "show";
  readonly folder: string;
  readonly step: number | null;
  readonly group: number | null;
  readonly rollout: number | null;
  readonly wantsTokens: boolean;
  readonly wantsEvaluation: boolean;
  /** What a curriculum knows of the tasks, instead of the steps. */
  readonly wantsTasks: boolean;
  /** What the service has billed, instead of what the folder holds. */
  readonly wantsBilled: boolean;
  readonly wantsJson: boolean;
}

/** @throws AppError `bad-arguments` */
export function showCommand(given: ParsedFlags): ShowCommand {
  const show: ShowCommand = {
    kind: "show",
    folder: onlyPositional(given, "show", "the run folder"),
    step: numberOf(given, "show", "step"),
    group: numberOf(given, "show", "group"),
    rollout: numberOf(given, "show", "rollout"),
    wantsTokens: given.switches.has("tokens"),
    wantsEvaluation: given.switches.has("eval"),
    wantsTasks: given.switches.has("tasks"),
    wantsBilled: given.switches.has("billed"),
    ...sending(given, "show"),
    wantsJson: given.switches.has("json"),
  };
  const { step, group, rollout, wantsTokens, wantsEvaluation } = show;
  if (step === null && (group ?? rollout) !== null) {
    throw argumentError("--group and --rollout need --step", "show");
  }
  if (wantsEvaluation && group !== null) {
    throw argumentError(
      "--group cannot be used with --eval, which counts rollouts over all tasks",
      "show",
    );
  }
  if (!wantsEvaluation && rollout !== null && group === null) {
    throw argumentError("--rollout needs --group", "show");
  }
  if (wantsTokens && rollout === null) {
    throw argumentError(
      "--tokens needs a single rollout: --step, --group and --rollout, or --eval, --step and --rollout",
      "show",
    );
  }
  if (show.wantsTasks && (step !== null || wantsEvaluation || show.wantsBilled || show.wantsJson)) {
    throw argumentError("--tasks is for the whole run and cannot be used with other flags", "show");
  }
  if (show.wantsBilled && (step !== null || wantsEvaluation || show.wantsJson)) {
    throw argumentError(
      "--billed is for the whole run and cannot be used with other flags",
      "show",
    );
  }
  return show;
}
