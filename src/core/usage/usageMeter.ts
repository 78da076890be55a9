/** Counts the tokens of requests while they are made. */

import * as z from "zod";
import { addTokens, NO_TOKENS, type TokenUsage, tokenUsageSchema } from "./tokenUsage.ts";

export const meteredUsageSchema = z
  .object({
    used: tokenUsageSchema,
    /** The part of it that nothing came of, for example of a sample that the service lost. */
    discarded: tokenUsageSchema,
  })
  .readonly();

export type MeteredUsage = z.infer<typeof meteredUsageSchema>;

export const NO_USAGE: MeteredUsage = { used: NO_TOKENS, discarded: NO_TOKENS };

export class UsageMeter {
  #used = NO_TOKENS;
  #discarded = NO_TOKENS;
  readonly #others: readonly UsageMeter[];

  /** What is added is added to `others`, too. */
  constructor(others: readonly UsageMeter[] = []) {
    this.#others = others;
  }

  get usage(): MeteredUsage {
    return { used: this.#used, discarded: this.#discarded };
  }

  add(tokens: Partial<TokenUsage>): void {
    this.#used = addTokens(this.#used, tokens);
    for (const other of this.#others) other.add(tokens);
  }

  /** Counts tokens that nothing came of. */
  addDiscarded(tokens: Partial<TokenUsage>): void {
    this.#used = addTokens(this.#used, tokens);
    this.#discarded = addTokens(this.#discarded, tokens);
    for (const other of this.#others) other.addDiscarded(tokens);
  }

  /** Nothing came of what was counted until now. */
  discardAll(): void {
    this.#discarded = this.#used;
  }
}
