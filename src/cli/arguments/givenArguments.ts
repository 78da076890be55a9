/** The words of a command line as its command reads them. */

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

/** What each command reads throws AppError `bad-arguments` for what it cannot take. */
export class GivenArguments {
  readonly positionals: readonly string[];
  /** Settings over those of a configuration file, each as `key=value`. */
  readonly overrides: readonly string[];
  readonly #call: HelpCall & { readonly command: CommandName };
  readonly #flags: ParsedFlags;

  constructor(call: HelpCall & { readonly command: CommandName }, flags: ParsedFlags) {
    this.positionals = flags.positionals;
    this.overrides = flags.overrides;
    this.#call = call;
    this.#flags = flags;
  }

  has(flag: string): boolean {
    return this.#flags.switches.has(flag);
  }

  /** The last one counts, as in other programs; null when it is not given. */
  text(flag: string): string | null {
    return this.texts(flag).at(-1) ?? null;
  }

  /** In the order given. */
  texts(flag: string): readonly string[] {
    return this.#flags.values.get(flag) ?? [];
  }

  /** Null when it is not given. */
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

  /** The port of a server; 0 = any free one. */
  port(flag = "port"): number {
    return this.number(flag, { most: 65_535 }) ?? 0;
  }

  /** `word` as one of `words`, with the nearest one in the error. */
  oneOf<Word extends string>(flag: string, words: readonly Word[], word: string): Word {
    const found = words.find((each) => each === word);
    if (found !== undefined) return found;
    const nearest = nearestWord(word, words);
    const hint = nearest === null ? `It can be ${EITHER.format(words)}` : didYouMean(nearest);
    throw this.error(`--${flag} is ${JSON.stringify(word)}. ${hint}`);
  }

  /** The configuration that a command is about, by its flag or as the only argument. */
  configPath(): string {
    const path = this.text("config_path");
    if (path === null) return this.only("the configuration file");
    this.refuseFurther();
    return path;
  }

  /** Origins to which the user allows keys to go. */
  allowedOrigins() {
    return this.texts("allow-host").map((host) => {
      const origin = originOf(host);
      if (origin !== null) return { origin, key: null };
      throw this.error(
        `--allow-host is ${JSON.stringify(host)}, not HOST, HOST:PORT or http://HOST`,
      );
    });
  }

  /** The only one of `words`; `what` says what is missing. */
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

  error(problem: string) {
    return argumentError(problem, this.#call);
  }
}
