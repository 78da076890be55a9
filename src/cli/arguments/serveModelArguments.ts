/** Understands the words behind `serve-model`. */

import {
  lastValue,
  numberOf,
  onlyPositional,
  type Sending,
  sending,
  type WithOverrides,
} from "./argumentValues.ts";
import type { ParsedFlags } from "./flags.ts";

/** Serves a model to other programs on this computer. */
export interface ServeModelCommand extends WithOverrides, Sending {
  readonly kind: "serve-model";
  /** A checkpoint, a run folder, a model, or `base`. */
  readonly target: string;
  /** Null = that of the run, or the defaults. */
  readonly configPath: string | null;
  /** 0 = any free one. */
  readonly port: number;
}

const COMMAND = "serve-model";

/** @throws AppError `bad-arguments` */
export function serveModelCommand(given: ParsedFlags): ServeModelCommand {
  return {
    kind: COMMAND,
    target: onlyPositional(given, COMMAND, "a checkpoint, a run folder, a model or base"),
    configPath: lastValue(given, "config_path") ?? null,
    overrides: given.overrides,
    port: numberOf(given, COMMAND, "port", { most: 65_535 }) ?? 0,
    ...sending(given, COMMAND),
  };
}
