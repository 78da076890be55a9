/** Understands the words behind `show-prompt`. */

import {
  configCommand,
  lastValue,
  numberOf,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import type { ParsedFlags } from "./flags.ts";

/** Shows the first prompt of a task. */
export interface ShowPromptCommand extends WithOverrides, Sending {
  readonly kind: "show-prompt";
  readonly configPath: string;
  /** Null = the first one of the configuration that has the split. */
  readonly environment: string | null;
  /** Null = the first one of the environment. */
  readonly split: string | null;
  /** Counted in the split, from 0. */
  readonly task: number;
  readonly wantsIds: boolean;
}

/** @throws AppError `bad-arguments` */
export function showPromptCommand(given: ParsedFlags): ShowPromptCommand {
  return {
    ...configCommand(given, "show-prompt"),
    ...sending(given, "show-prompt"),
    environment: lastValue(given, "environment") ?? null,
    split: lastValue(given, "split") ?? null,
    task: numberOf(given, "show-prompt", "task") ?? 0,
    wantsIds: given.switches.has("ids"),
  };
}
