/** Values that several commands take from a command line. */

import { type AllowedOrigin, originOf } from "../../core/secrets/hostBinding.ts";
import { nearestWord } from "../../core/util/editDistance.ts";
import { argumentError, type CommandName, didYouMean, type ParsedFlags } from "./flags.ts";

/** Arguments of commands that send keys. */
export interface Sending {
  /** Origins to which the user allows keys to go. */
  readonly allowedOrigins: readonly AllowedOrigin[];
}

/** Settings over those of a configuration file, each as `key=value`. */
export interface WithOverrides {
  readonly overrides: readonly string[];
}

/** The configuration that a command is about, by its flag or as the only argument. @throws AppError `bad-arguments` */
export function configCommand<
  Kind extends "train" | "sweep" | "validate" | "estimate" | "show-prompt",
>(given: ParsedFlags, kind: Kind) {
  const { overrides } = given;
  const configPath = lastValue(given, "config_path");
  if (configPath === undefined) {
    return { kind, configPath: onlyPositional(given, kind, "the configuration file"), overrides };
  }
  refuseFurther(given.positionals, kind);
  return { kind, configPath, overrides };
}

/** @throws AppError `bad-arguments` for an address that is none */
export function sending(given: ParsedFlags, command: CommandName): Sending {
  const hosts = given.values.get("allow-host") ?? [];
  return {
    allowedOrigins: hosts.map((host) => ({ origin: allowedOrigin(host, command), key: null })),
  };
}

function allowedOrigin(host: string, command: CommandName): string {
  const origin = originOf(host);
  if (origin !== null) return origin;
  throw argumentError(
    `--allow-host is ${JSON.stringify(host)}, not HOST, HOST:PORT or http://HOST`,
    command,
  );
}

/** The last one counts, as in other programs. */
export function lastValue({ values }: ParsedFlags, flag: string): string | undefined {
  return values.get(flag)?.at(-1);
}

/** Null when it is not given. @throws AppError `bad-arguments` */
export function numberOf(
  given: ParsedFlags,
  command: CommandName,
  flag: string,
  { least = 0, most = Number.MAX_SAFE_INTEGER } = {},
): number | null {
  const text = lastValue(given, flag);
  if (text === undefined) return null;
  if (!/^\d+$/.test(text) || Number(text) > most) {
    const range = most === Number.MAX_SAFE_INTEGER ? "" : ` from ${least} to ${most}`;
    throw argumentError(`--${flag} is ${JSON.stringify(text)}, not an integer${range}`, command);
  }
  if (Number(text) >= least) return Number(text);
  throw argumentError(`--${flag} is ${text}, not at least ${least}`, command);
}

/** `word` as one of `words`, with the nearest one in the error. @throws AppError `bad-arguments` */
export function oneOf<Word extends string>(
  words: readonly Word[],
  word: string,
  flag: string,
  command: CommandName,
): Word {
  const found = words.find((each) => each === word);
  if (found !== undefined) return found;
  const nearest = nearestWord(word, words);
  const hint = nearest === null ? `It can be ${words.join(", ")}` : didYouMean(nearest);
  throw argumentError(`--${flag} is ${JSON.stringify(word)}. ${hint}`, command);
}

/** `what` says what is missing. @throws AppError `bad-arguments` */
export function onlyPositional(
  { positionals }: ParsedFlags,
  command: CommandName,
  what: string,
): string {
  const [only, ...further] = positionals;
  if (only === undefined) throw argumentError(`${command} needs ${what}`, command);
  refuseFurther(further, command);
  return only;
}

/** @throws AppError `bad-arguments` when there is one */
export function refuseFurther(positionals: readonly string[], command: CommandName): void {
  const [first] = positionals;
  if (first !== undefined)
    throw argumentError(`unexpected argument ${JSON.stringify(first)}`, command);
}
