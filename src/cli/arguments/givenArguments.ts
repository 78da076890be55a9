/** A command's arguments, with typed accessors. */

import { originOf } from "../../core/secrets/hostBinding.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import {
  argumentError,
  type CommandName,
  didYouMean,
  type HelpCall,
  type ParsedFlags,
} from "./flags.ts";

const EITHER = new Intl.ListFormat("en", { type: "disjunction" });

/** All accessors throw AppError `bad-arguments` for invalid input. */
export class GivenArguments {
  readonly positionals: readonly string[];
  /** Settings that override the configuration file, each `key=value`. */
  readonly overrides: readonly string[];
  readonly #call: HelpCall & { readonly command: CommandName };
  readonly #flags: ParsedFlags;
  readonly #read = new Set<string>();

  constructor(call: HelpCall & { readonly command: CommandName }, flags: ParsedFlags) {
    this.positionals = flags.positionals;
    this.overrides = flags.overrides;
    this.#call = call;
    this.#flags = flags;
  }

  has(flag: string): boolean {
    this.#read.add(flag);
    return this.#flags.switches.has(flag);
  }

  /** The last value wins, as in other programs; null if the flag is not given. */
  text(flag: string): string | null {
    return this.texts(flag).at(-1) ?? null;
  }

  /** All values, in the given order. */
  texts(flag: string): readonly string[] {
    this.#read.add(flag);
    return this.#flags.values.get(flag) ?? [];
  }

  /** Null if the flag is not given. */
  number(flag: string, { least = 0, most = Number.MAX_SAFE_INTEGER } = {}): number | null {
    const text = this.text(flag);
    if (text === null) return null;
    if (!/^\d+$/.test(text) || Number(text) > most) {
      const range =
        most === Number.MAX_SAFE_INTEGER ? ` of at least ${least}` : ` from ${least} to ${most}`;
      throw this.error(`--${flag} is ${JSON.stringify(text)}, not an integer${range}`);
    }
    if (Number(text) >= least) return Number(text);
    throw this.error(`--${flag} is ${text}, not at least ${least}`);
  }

  /** A server's port; 0 = any free one. */
  port(flag = "port"): number {
    return this.number(flag, { most: 65_535 }) ?? 0;
  }

  /** Validates `word` against `words`; the error suggests the nearest one. */
  oneOf<Word extends string>(flag: string, words: readonly Word[], word: string): Word {
    const found = words.find((each) => each === word);
    if (found !== undefined) return found;
    const nearest = nearestWord(word, words);
    const hint = nearest === null ? `It can be ${EITHER.format(words)}` : didYouMean(nearest);
    throw this.error(`--${flag} is ${JSON.stringify(word)}. ${hint}`);
  }

  /** The command's configuration file, from its flag or as the only argument. */
  configPath(): string {
    const path = this.text("config_path");
    if (path === null) return this.only("the configuration file");
    this.refuseFurther();
    return path;
  }

  /** Additional origins that keys may be sent to. */
  allowedOrigins() {
    return this.texts("allow-host").map((host) => {
      const origin = originOf(host);
      if (origin !== null) return { origin, key: null };
      throw this.error(
        `--allow-host is ${JSON.stringify(host)}, not HOST, HOST:PORT or http://HOST`,
      );
    });
  }

  /** The single word in `words`; `what` describes it if missing. */
  only(what: string, words = this.positionals): string {
    const word = this.atMostOne(words);
    if (word === null) throw this.error(`${this.#call.command} needs ${what}`);
    return word;
  }

  atMostOne([word, ...further]: readonly string[] = this.positionals): string | null {
    this.refuseFurther(further);
    return word ?? null;
  }

  refuseFurther([first]: readonly string[] = this.positionals): void {
    if (first !== undefined) throw this.error(`unexpected argument ${JSON.stringify(first)}`);
  }

  /** For commands whose subcommands have flags of their own: call after all others. */
  refuseUnread(): void {
    const { switches, values } = this.#flags;
    const unread = [...switches, ...values.keys()].find((flag) => !this.#read.has(flag));
    if (unread !== undefined) throw this.error(`--${unread} has no use here`);
  }

  error(problem: string) {
    return argumentError(problem, this.#call);
  }
}
