/**
 * One token stream of a rollout: it only grows, and has everything training needs at the same index as the token it belongs to. Sampled ids are never decoded and encoded again, and the log-probability of each is that of the policy that
 * sampled it: GRPO and PPO divide by it (importance ratio), so a recomputed or invented one would make the data off-policy.
 */

import { AppError } from "../errors.ts";

/** Where a token came from. `closing` ends a turn that sampling left open; `delta` leads to the next turn. */
export type TokenSource = "prompt" | "sampled" | "closing" | "delta";

/** Largest log-probability that still counts as rounding of 0. */
const MAX_LOGPROB = 1e-3;

export interface LedgerView {
  readonly tokens: readonly number[];
  /** Log-probability by the sampler; 0 where the mask is 0. */
  readonly logprobs: readonly number[];
  /** 1 = sampled and trained. */
  readonly mask: readonly (0 | 1)[];
  readonly sources: readonly TokenSource[];
  /** Turn of the rollout for each token, -1 for the prompt; closing and delta tokens belong to the turn they follow. */
  readonly turns: readonly number[];
}

/** What a stored record keeps of a stream. */
interface StoredTokens {
  readonly ids: ArrayLike<number>;
  readonly samplerLogprobs: ArrayLike<number>;
  readonly turns: ArrayLike<number>;
  readonly mask: ArrayLike<number>;
}

export class Ledger implements LedgerView {
  readonly tokens: number[] = [];
  readonly logprobs: number[] = [];
  readonly mask: (0 | 1)[] = [];
  readonly sources: TokenSource[] = [];
  readonly turns: number[] = [];
  #firstTurn: number;
  #turn = -1;

  /** `firstTurn` is the turn of the rollout that follows the prompt. */
  constructor(prompt: readonly number[], firstTurn = 0) {
    this.#append(prompt, "prompt", null);
    this.#firstTurn = firstTurn;
    this.#turn = firstTurn - 1;
  }

  /** A stream that was stored. What context was before, other than a prompt, is not stored: it counts as delta. */
  static restore({ ids, samplerLogprobs, turns, mask }: StoredTokens): Ledger {
    const ledger = new Ledger([]);
    for (let i = 0; i < ids.length; i += 1) {
      const turn = turns[i] ?? -1;
      const isTrained = mask[i] === 1;
      ledger.tokens.push(ids[i] ?? 0);
      ledger.logprobs.push(samplerLogprobs[i] ?? 0);
      ledger.mask.push(isTrained ? 1 : 0);
      ledger.turns.push(turn);
      if (isTrained) ledger.sources.push("sampled");
      else ledger.sources.push(turn < 0 ? "prompt" : "delta");
    }
    ledger.#firstTurn = ledger.turns.find((turn) => turn >= 0) ?? 0;
    ledger.#turn = ledger.turns.at(-1) ?? -1;
    return ledger;
  }

  get length(): number {
    return this.tokens.length;
  }

  /** Turns that were sampled in this stream. */
  get turnCount(): number {
    return this.#turn + 1 - this.#firstTurn;
  }

  /**
   * Adds a sampled turn. `logprobs` null makes it context only: no invented probability is ever trained on.
   * @throws AppError `invariant` when `logprobs` cannot be trained on, see {@link areUsable}
   */
  addTurn(tokens: readonly number[], logprobs: readonly number[] | null): void {
    this.#turn += 1;
    if (logprobs !== null && !areUsable(tokens, logprobs)) {
      throw new AppError("invariant", "Sampled tokens need one finite log-probability each.");
    }
    this.#append(tokens, "sampled", logprobs);
  }

  /** Adds what leads from the last turn to the next. */
  addContext(closing: readonly number[], delta: readonly number[]): void {
    this.#append(closing, "closing", null);
    this.#append(delta, "delta", null);
  }

  #append(
    tokens: readonly number[],
    source: TokenSource,
    logprobs: readonly number[] | null,
  ): void {
    // One array after the other, without a pair for every token: a step appends millions.
    for (const token of tokens) this.tokens.push(token);
    for (let i = 0; i < tokens.length; i++) {
      this.logprobs.push(logprobs?.[i] ?? 0);
      this.mask.push(logprobs === null ? 0 : 1);
      this.sources.push(source);
      this.turns.push(this.#turn);
    }
  }
}

/**
 * True when log-probs can be trained on: one per token, finite, not above 0. Eight or more that are all exactly zero cannot:
 * servers that computed none send such ones.
 */
export function areUsable(tokens: readonly number[], logprobs: readonly number[] | null): boolean {
  if (logprobs === null || logprobs.length !== tokens.length) return false;
  if (!logprobs.every((logprob) => Number.isFinite(logprob) && logprob <= MAX_LOGPROB))
    return false;
  return logprobs.length < 8 || logprobs.some((logprob) => logprob !== 0);
}
