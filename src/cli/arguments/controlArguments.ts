/** Understands the words behind `control`. */

import { nearestWord } from "../../core/util/editDistance.ts";
import type { ControlCommand } from "../../shared/control.ts";
import { refuseFurther } from "./argumentValues.ts";
import { argumentError, didYouMean, type ParsedFlags } from "./flags.ts";

export interface RunControlCommand {
  readonly kind: "control";
  readonly folder: string;
  readonly command: ControlCommand;
}

const ACTIONS = ["status", "pause", "continue", "save", "stop", "stop-now"] as const;

/** @throws AppError `bad-arguments` */
export function controlCommand({ positionals }: ParsedFlags): RunControlCommand {
  const [folder, word, ...settings] = positionals;
  if (folder === undefined || word === undefined) {
    throw argumentError("control needs the run folder and an action", "control");
  }
  if (word === "set") {
    const odd = settings.find((setting) => !setting.includes("="));
    if (odd !== undefined)
      throw argumentError(`${JSON.stringify(odd)} is not KEY=VALUE`, "control");
    if (settings.length === 0) throw argumentError("set needs at least one KEY=VALUE", "control");
    return { kind: "control", folder, command: { action: "change-settings", settings } };
  }
  refuseFurther(settings, "control");
  const action = ACTIONS.find((command) => command === word);
  if (action !== undefined) return { kind: "control", folder, command: { action } };
  const nearest = nearestWord(word, [...ACTIONS, "set"]);
  const hint = nearest === null ? `It can be ${ACTIONS.join(", ")} or set` : didYouMean(nearest);
  throw argumentError(`Unknown action ${JSON.stringify(word)}. ${hint}`, "control");
}
