/** Counts the tokens of requests as they are made. */

import * as z from "zod";
import { addTokens, NO_TOKENS, type TokenUsage, tokenUsageSchema } from "./tokenUsage.ts";

export const meteredUsageSchema = z
  .object({
    used: tokenUsageSchema,
    /** Wasted tokens, also in `used`, for example of a sample that the service lost. */
    discarded: tokenUsageSchema,
  })
  .readonly();

export type MeteredUsage = z.infer<typeof meteredUsageSchema>;

export class UsageMeter {
  #used = NO_TOKENS;
  #discarded = NO_TOKENS;
  readonly #others: readonly UsageMeter[];

  /** Tokens are also added to `others`. */
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

  /** Counts wasted tokens. */
  addDiscarded(tokens: Partial<TokenUsage>): void {
    this.#used = addTokens(this.#used, tokens);
    this.#discarded = addTokens(this.#discarded, tokens);
    for (const other of this.#others) other.addDiscarded(tokens);
  }

  /** Marks all tokens counted so far as wasted. */
  discardAll(): void {
    this.#discarded = this.#used;
  }
}
