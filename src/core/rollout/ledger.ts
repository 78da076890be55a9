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
  /** Ids that a teacher reads in place of the prompt; absent = the same. */
  readonly taughtPrompt?: Int32Array | undefined;
}

type Logprobs = readonly number[] | Float32Array;

/** A stream as it is stored. */
interface StoredTokens {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly runs: readonly TokenRun[];
  readonly taughtPrompt?: Int32Array | undefined;
}

/** Tokens in a row with the same source and turn. */
export interface TokenRun {
  /** Position behind the last of them. */
  readonly end: number;
  readonly source: TokenSource;
  readonly turn: number;
  readonly isTrained: boolean;
}

/** Log-probs of a sampled turn; those of all other tokens are 0. */
interface LogprobPart {
  readonly start: number;
  readonly values: Float32Array;
}

export class Ledger implements LedgerView {
  /** In place of one array, which would be copied each time that it grows. */
  #tokens: Int32Array[] = [];
  #logprobs: LogprobPart[] = [];
  #length = 0;
  /** In place of an entry a token, which would take half as much again. */
  readonly #runs: TokenRun[] = [];
  #turn = -1;
  #turnCount = 0;
  #lastTurnStart = 0;
  #taughtPrompt: Int32Array | undefined;

  /** `firstTurn` is the turn of the rollout that follows the prompt; `taughtPrompt` is what a teacher reads in place of the prompt. */
  constructor(prompt: ArrayLike<number>, firstTurn = 0, taughtPrompt?: ArrayLike<number>) {
    this.#taughtPrompt = taughtPrompt && Int32Array.from(taughtPrompt);
    this.#append(prompt, "prompt", null);
    this.#turn = firstTurn - 1;
  }

  /** A stream that was stored, over the arrays that were read. */
  static restore({ tokens, logprobs, runs, taughtPrompt }: StoredTokens): Ledger {
    const ledger = new Ledger([]);
    ledger.#taughtPrompt = taughtPrompt;
    ledger.#tokens = [tokens];
    ledger.#logprobs = [{ start: 0, values: logprobs }];
    ledger.#length = tokens.length;
    ledger.#runs.push(...runs);
    const sampled = ledger.#runs.filter(({ source }) => source === "sampled");
    ledger.#turnCount = new Set(sampled.map(({ turn }) => turn)).size;
    ledger.#turn = ledger.#runs.at(-1)?.turn ?? -1;
    return ledger;
  }

  /** The array is never written again: who has taken it keeps these tokens, without a copy, while the stream grows. */
  get tokens(): Int32Array {
    const [first] = this.#tokens;
    if (first !== undefined && this.#tokens.length === 1) return first;
    const whole = this.slice();
    this.#tokens = [whole];
    return whole;
  }

  get logprobs(): Float32Array {
    const [first] = this.#logprobs;
    if (first?.values.length === this.#length) return first.values;
    const values = new Float32Array(this.#length);
    for (const part of this.#logprobs) values.set(part.values, part.start);
    this.#logprobs = [{ start: 0, values }];
    return values;
  }

  /** Ids of the turn that was sampled last, and of the context behind it. */
  get lastTurn(): Int32Array {
    return this.slice(this.#lastTurnStart);
  }

  /** The ids from `start` up to `end`, not to be written; a copy, unless they were added together. */
  slice(start = 0, end = this.#length): Int32Array {
    const whole = this.#partAt(start, end);
    if (whole !== null) return whole;
    const tokens = new Int32Array(end - start);
    let at = 0;
    for (const part of this.#tokens) {
      const wanted = part.subarray(Math.max(0, start - at), Math.max(0, end - at));
      if (wanted.length > 0) tokens.set(wanted, Math.max(0, at - start));
      at += part.length;
    }
    return tokens;
  }

  #partAt(start: number, end: number): Int32Array | null {
    let at = 0;
    for (const part of this.#tokens) {
      if (at === start && part.length === end - start) return part;
      at += part.length;
    }
    return null;
  }

  /** Made anew each time, as are {@link sources} and {@link turns}. */
  get mask(): Uint8Array {
    return this.#spread(new Uint8Array(this.#length), ({ isTrained }) => (isTrained ? 1 : 0));
  }

  get sources(): Uint8Array {
    return this.#spread(new Uint8Array(this.#length), ({ source }) =>
      TOKEN_SOURCES.indexOf(source),
    );
  }

  get turns(): Int16Array {
    return this.#spread(new Int16Array(this.#length), ({ turn }) => turn);
  }

  /** Source, turn and mask of all tokens, as they are stored. */
  get runs(): readonly TokenRun[] {
    return this.#runs;
  }

  get taughtPrompt(): Int32Array | undefined {
    return this.#taughtPrompt;
  }

  get length(): number {
    return this.#length;
  }

  /** Tokens with mask 1. */
  get trainedTokens(): number {
    let count = 0;
    let start = 0;
    for (const { end, isTrained } of this.#runs) {
      if (isTrained) count += end - start;
      start = end;
    }
    return count;
  }

  /** Turns that were sampled in this stream. */
  get turnCount(): number {
    return this.#turnCount;
  }

  /**
   * Adds a sampled turn, typed arrays without a copy. `logprobs` null makes it context only: no invented probability is ever trained on.
   * @throws AppError `invariant` when `logprobs` cannot be trained on, see {@link areUsable}
   */
  addTurn(tokens: ArrayLike<number>, logprobs: Logprobs | null): void {
    this.#turn += 1;
    this.#turnCount += 1;
    this.#lastTurnStart = this.#length;
    if (logprobs !== null && !areUsable(tokens, logprobs)) {
      throw new AppError("invariant", "Sampled tokens need one finite log-probability each.");
    }
    this.#append(tokens, "sampled", logprobs);
  }

  /** Adds a turn that was given, not sampled: it has no log-probabilities, and only a loss without them may train it. */
  addGivenTurn(tokens: ArrayLike<number>, isTrained: boolean): void {
    this.#turn += 1;
    this.#turnCount += 1;
    this.#lastTurnStart = this.#length;
    this.#append(tokens, "sampled", null, isTrained);
  }

  /** Adds what leads from the last turn to the next. */
  addContext(closing: readonly number[], delta: readonly number[]): void {
    this.#append(closing, "closing", null);
    this.#append(delta, "delta", null);
  }

  #append(
    tokens: ArrayLike<number>,
    source: TokenSource,
    logprobs: Logprobs | null,
    isTrained = logprobs !== null,
  ): void {
    if (tokens.length === 0) return;
    if (logprobs !== null) {
      const values = logprobs instanceof Float32Array ? logprobs : new Float32Array(logprobs);
      this.#logprobs.push({ start: this.#length, values });
    }
    this.#tokens.push(tokens instanceof Int32Array ? tokens : Int32Array.from(tokens));
    this.#length += tokens.length;
    this.#addRun({ end: this.#length, source, turn: this.#turn, isTrained });
  }

  #addRun(run: TokenRun): void {
    const last = this.#runs.at(-1);
    const goesOn =
      last?.source === run.source && last.turn === run.turn && last.isTrained === run.isTrained;
    if (goesOn) this.#runs.pop();
    this.#runs.push(run);
  }

  /** Fills an array of the stream's length. */
  #spread<Values extends Uint8Array | Int16Array>(
    values: Values,
    entryOf: (run: TokenRun) => number,
  ): Values {
    let start = 0;
    for (const run of this.#runs) {
      values.fill(entryOf(run), start, run.end);
      start = run.end;
    }
    return values;
  }
}

/**
 * True when log-probs can be trained on: one per token, finite, not above 0. Eight or more that are all exactly zero cannot:
 * servers that computed none send such ones.
 */
export function areUsable(tokens: ArrayLike<number>, logprobs: Logprobs | null): boolean {
  if (logprobs === null || logprobs.length !== tokens.length) return false;
  if (!logprobs.every((logprob) => Number.isFinite(logprob) && logprob <= MAX_LOGPROB))
    return false;
  return logprobs.length < 8 || logprobs.some((logprob) => logprob !== 0);
}
