/** Understands the words behind `serve`. */

import { lastValue, numberOf, refuseFurther } from "./argumentValues.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export interface ServeCommand {
  readonly kind: "serve";
  /** 0 = any free port. */
  readonly tinkerPort: number;
  readonly environmentsPort: number;
  /** Most sessions of the environments at once, at least 1; null = no limit. */
  readonly maxSessions: number | null;
  /** Folder for checkpoints; null = the user's common store. */
  readonly store: string | null;
  /** Random weights under the name of a model, with its tokenizer; null = the bundled model. */
  readonly random: { readonly model: string; readonly tokenizer: string } | null;
}

/** @throws AppError `bad-arguments` */
export function serveCommand(given: ParsedFlags): ServeCommand {
  refuseFurther(given.positionals, "serve");
  return {
    kind: "serve",
    tinkerPort: numberOf(given, "serve", "tinker_port", { most: 65_535 }) ?? 0,
    environmentsPort: numberOf(given, "serve", "environments_port", { most: 65_535 }) ?? 0,
    maxSessions: numberOf(given, "serve", "max_sessions", { least: 1 }),
    store: lastValue(given, "store") ?? null,
    random: randomModel(given),
  };
}

function randomModel(given: ParsedFlags): ServeCommand["random"] {
  const [model, tokenizer] = [lastValue(given, "model"), lastValue(given, "tokenizer")];
  if (model === undefined && tokenizer === undefined) return null;
  if (model !== undefined && tokenizer !== undefined) return { model, tokenizer };
  const [there, missing] = model === undefined ? ["tokenizer", "model"] : ["model", "tokenizer"];
  throw argumentError(`--${there} serves random weights and needs --${missing}`, "serve");
}
