/**
 * One token stream of a rollout: it only grows, and has everything training needs at the same index as the token it belongs to. Sampled ids are never decoded and encoded again, and the log-probability of each is that of the policy that
 * sampled it: GRPO and PPO divide by it (importance ratio), so a recomputed or invented one would make the data off-policy.
 */

import { AppError } from "../errors.ts";

/** Where a token came from. `closing` ends a turn that sampling left open; `delta` leads to the next turn. */
export const TOKEN_SOURCES = ["prompt", "sampled", "closing", "delta"] as const;
export type TokenSource = (typeof TOKEN_SOURCES)[number];

/** Largest log-probability that still counts as rounding of 0. */
const MAX_LOGPROB = 1e-3;

/** All arrays have one entry a token. Typed, because a step holds millions of them. */
export interface LedgerView {
  readonly tokens: Int32Array;
  /** Log-probability by the sampler, in the precision of the wire; 0 where the mask is 0. */
  readonly logprobs: Float32Array;
  /** 1 = sampled and trained. */
  readonly mask: Uint8Array;
  /** Positions in {@link TOKEN_SOURCES}. */
  readonly sources: Uint8Array;
  /** Turn of the rollout for each token, -1 for the prompt; closing and delta tokens belong to the turn they follow. */
  readonly turns: Int16Array;
}

/** What a stored record keeps of a stream. */
interface StoredTokens {
  readonly ids: ArrayLike<number>;
  readonly samplerLogprobs: ArrayLike<number>;
  readonly turns: ArrayLike<number>;
  readonly mask: ArrayLike<number>;
}

/** Room that a stream which must grow gets beyond what it needs. */
const SPARE_ROOM = 1 / 8;

export class Ledger implements LedgerView {
  #room = allocate(0);
  #length = 0;
  #firstTurn: number;
  #turn = -1;

  /** `firstTurn` is the turn of the rollout that follows the prompt. */
  constructor(prompt: ArrayLike<number>, firstTurn = 0) {
    this.#append(prompt, "prompt", null);
    this.#firstTurn = firstTurn;
    this.#turn = firstTurn - 1;
  }

  /** A stream that was stored. What context was before, other than a prompt, is not stored: it counts as delta. */
  static restore({ ids, samplerLogprobs, turns, mask }: StoredTokens): Ledger {
    const ledger = new Ledger([]);
    const room = allocate(ids.length);
    room.tokens.set(ids);
    room.logprobs.set(samplerLogprobs);
    room.mask.set(mask);
    room.turns.set(turns);
    room.sources.set(room.turns.map((turn, i) => restoredSource(turn, room.mask[i])));
    ledger.#room = room;
    ledger.#length = ids.length;
    ledger.#firstTurn = room.turns.find((turn) => turn >= 0) ?? 0;
    ledger.#turn = room.turns.at(-1) ?? -1;
    return ledger;
  }

  get tokens(): Int32Array {
    return this.#room.tokens.subarray(0, this.#length);
  }

  get logprobs(): Float32Array {
    return this.#room.logprobs.subarray(0, this.#length);
  }

  get mask(): Uint8Array {
    return this.#room.mask.subarray(0, this.#length);
  }

  get sources(): Uint8Array {
    return this.#room.sources.subarray(0, this.#length);
  }

  get turns(): Int16Array {
    return this.#room.turns.subarray(0, this.#length);
  }

  get length(): number {
    return this.#length;
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
    tokens: ArrayLike<number>,
    source: TokenSource,
    logprobs: readonly number[] | null,
  ): void {
    const start = this.#length;
    const end = start + tokens.length;
    if (end > this.#room.tokens.length) this.#grow(end);
    const room = this.#room;
    room.tokens.set(tokens, start);
    if (logprobs !== null) room.logprobs.set(logprobs, start);
    room.mask.fill(logprobs === null ? 0 : 1, start, end);
    room.sources.fill(TOKEN_SOURCES.indexOf(source), start, end);
    room.turns.fill(this.#turn, start, end);
    this.#length = end;
  }

  #grow(length: number): void {
    const isFirst = this.#length === 0;
    const next = allocate(isFirst ? length : Math.ceil(length * (1 + SPARE_ROOM)));
    next.tokens.set(this.tokens);
    next.logprobs.set(this.logprobs);
    next.mask.set(this.mask);
    next.sources.set(this.sources);
    next.turns.set(this.turns);
    this.#room = next;
  }
}

function allocate(length: number): LedgerView {
  return {
    tokens: new Int32Array(length),
    logprobs: new Float32Array(length),
    mask: new Uint8Array(length),
    sources: new Uint8Array(length),
    turns: new Int16Array(length),
  };
}

function restoredSource(turn: number, mask: number | undefined): number {
  const context = turn < 0 ? "prompt" : "delta";
  return TOKEN_SOURCES.indexOf(mask === 1 ? "sampled" : context);
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
