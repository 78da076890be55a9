/**
 * One token stream of a rollout. It only grows, and stores everything training needs at the index of its token. Sampled ids are never
 * decoded and re-encoded, and each keeps the log-probability of the policy that sampled it: GRPO and PPO divide by it (importance ratio),
 * so a recomputed or invented value would make the data off-policy.
 */

import { AppError } from "../errors.ts";

/** Origin of a token. `closing` ends a turn that sampling left open; `delta` leads to the next turn. */
export const TOKEN_SOURCES = ["prompt", "sampled", "closing", "delta"] as const;
export type TokenSource = (typeof TOKEN_SOURCES)[number];

/** Largest log-probability that still counts as a rounded 0. */
const MAX_LOGPROB = 1e-3;

/** All arrays have one entry per token. They are typed arrays because a step holds millions of tokens. */
export interface LedgerView {
  readonly tokens: Int32Array;
  /** The sampler's log-probability as transmitted; 0 where the mask is 0. */
  readonly logprobs: Float32Array;
  /** 1 if sampled and trained. */
  readonly mask: Uint8Array;
  /** Indices into {@link TOKEN_SOURCES}. */
  readonly sources: Uint8Array;
  /** Each token's turn in the rollout, -1 for the prompt. Closing and delta tokens belong to the preceding turn. */
  readonly turns: Int16Array;
  /** Source, turn and mask of all tokens, in stored form. */
  readonly runs: readonly TokenRun[];
  /** Ids that a teacher reads instead of the prompt; absent if they are the same. */
  readonly taughtPrompt?: Int32Array | undefined;
}

type Logprobs = readonly number[] | Float32Array;

/** A stream in its stored form. */
interface StoredTokens {
  readonly tokens: Int32Array;
  readonly logprobs: Float32Array;
  readonly runs: readonly TokenRun[];
  readonly taughtPrompt?: Int32Array | undefined;
}

/** Consecutive tokens with the same source and turn. */
export interface TokenRun {
  /** Exclusive end index. */
  readonly end: number;
  readonly source: TokenSource;
  readonly turn: number;
  readonly isTrained: boolean;
  /** The sampled sequence that they are, or the first one whose prompt has them; absent unless `loss_fn` needs it. */
  readonly sequence?: string | undefined;
}

/** Log-probabilities of a sampled turn; all other tokens have 0. */
interface LogprobPart {
  readonly start: number;
  readonly values: Float32Array;
}

export class Ledger implements LedgerView {
  /** Chunks instead of a single array, which would be copied whenever it grows. */
  #tokens: Int32Array[] = [];
  #logprobs: LogprobPart[] = [];
  #length = 0;
  /** Runs instead of an entry per token, which would need half as much memory again. */
  readonly #runs: TokenRun[] = [];
  #turn = -1;
  #turnCount = 0;
  #lastTurnStart = 0;
  #taughtPrompt: Int32Array | undefined;

  /** `firstTurn` is the number of the first turn after the prompt; `taughtPrompt` is what a teacher reads instead of the prompt. */
  constructor(prompt: ArrayLike<number>, firstTurn = 0, taughtPrompt?: ArrayLike<number>) {
    this.#taughtPrompt = taughtPrompt && Int32Array.from(taughtPrompt);
    this.#append(prompt, "prompt", null);
    this.#turn = firstTurn - 1;
  }

  /** Restores a stored stream, reusing its arrays. */
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

  /** Never modified afterwards: callers can keep it without a copy while the stream grows. */
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

  /** Ids of the last sampled turn and of the context after it. */
  get lastTurn(): Int32Array {
    return this.slice(this.#lastTurnStart);
  }

  /** The ids from `start` to `end`, read-only; copied unless they were appended as one chunk. */
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

  /** Computed on each access, like {@link sources} and {@link turns}. */
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

  get runs(): readonly TokenRun[] {
    return this.#runs;
  }

  get taughtPrompt(): Int32Array | undefined {
    return this.#taughtPrompt;
  }

  get length(): number {
    return this.#length;
  }

  /** Number of tokens with mask 1. */
  get trainedTokens(): number {
    let count = 0;
    let start = 0;
    for (const { end, isTrained } of this.#runs) {
      if (isTrained) count += end - start;
      start = end;
    }
    return count;
  }

  /** Number of turns sampled in this stream. */
  get turnCount(): number {
    return this.#turnCount;
  }

  /**
   * Appends a sampled turn; typed arrays are not copied. With `logprobs` null it is only context: invented probabilities are never
   * trained on. `sequence` is the service's name of the sample.
   * @throws AppError `invariant` when `logprobs` cannot be trained on, see {@link areUsable}
   */
  addTurn(tokens: ArrayLike<number>, logprobs: Logprobs | null, sequence?: string): void {
    this.#turn += 1;
    this.#turnCount += 1;
    this.#lastTurnStart = this.#length;
    if (logprobs !== null && !areUsable(tokens, logprobs)) {
      throw new AppError("invariant", "Sampled tokens need one finite log-probability each.");
    }
    if (sequence !== undefined) this.#nameContext(sequence);
    this.#append(tokens, "sampled", logprobs, { sequence });
  }

  /** The request that sampled `sequence` was the first to see the context since the turn before. */
  #nameContext(sequence: string): void {
    for (let i = this.#runs.length - 1; i >= 0; i -= 1) {
      const run = this.#runs[i];
      if (run === undefined || run.sequence !== undefined) return;
      this.#runs[i] = { ...run, sequence };
    }
  }

  /** Appends a turn that was given, not sampled. It has no log-probabilities, so only a loss without them may train on it. */
  addGivenTurn(tokens: ArrayLike<number>, isTrained: boolean): void {
    this.#turn += 1;
    this.#turnCount += 1;
    this.#lastTurnStart = this.#length;
    this.#append(tokens, "sampled", null, { isTrained });
  }

  /** Appends the context between the last turn and the next. */
  addContext(closing: readonly number[], delta: readonly number[]): void {
    this.#append(closing, "closing", null);
    this.#append(delta, "delta", null);
  }

  #append(
    tokens: ArrayLike<number>,
    source: TokenSource,
    logprobs: Logprobs | null,
    {
      isTrained = logprobs !== null,
      sequence,
    }: Partial<Pick<TokenRun, "isTrained" | "sequence">> = {},
  ): void {
    if (tokens.length === 0) return;
    if (logprobs !== null) {
      const values = logprobs instanceof Float32Array ? logprobs : new Float32Array(logprobs);
      this.#logprobs.push({ start: this.#length, values });
    }
    this.#tokens.push(tokens instanceof Int32Array ? tokens : Int32Array.from(tokens));
    this.#length += tokens.length;
    this.#addRun({ end: this.#length, source, turn: this.#turn, isTrained, sequence });
  }

  #addRun(run: TokenRun): void {
    const last = this.#runs.at(-1);
    const goesOn =
      last?.source === run.source && last.turn === run.turn && last.isTrained === run.isTrained;
    if (goesOn) this.#runs.pop();
    this.#runs.push(run);
  }

  /** Fills an array of the stream's length from its runs. */
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
 * True when log-probabilities can be trained on: one per token, finite, not above 0. Eight or more that are all exactly zero are
 * rejected, because servers that computed none send zeros.
 */
export function areUsable(tokens: ArrayLike<number>, logprobs: Logprobs | null): boolean {
  if (logprobs === null || logprobs.length !== tokens.length) return false;
  if (!logprobs.every((logprob) => Number.isFinite(logprob) && logprob <= MAX_LOGPROB))
    return false;
  return logprobs.length < 8 || logprobs.some((logprob) => logprob !== 0);
}
