/** Places samples on worker slots: where most of the prompt is cached for the same weights, else where least is going on. */

import { AppError } from "../../core/errors.ts";
import type {
  EngineSampleRequest,
  PromptScoreRequest,
  PromptScores,
  SampledSequence,
} from "./engine.ts";
import type { FrozenAdapter } from "./workerMessages.ts";
import type { WorkerThread } from "./workerThread.ts";

/** Frozen parameters that samplers use; key 0 is the base model. */
export interface FrozenWeights {
  readonly key: number;
  readonly adapter: FrozenAdapter | null;
}

interface Slot {
  readonly index: number;
  /** Tokens whose keys and values the slot holds, computed with the weights of `key`. */
  tokens: Int32Array;
  key: number;
  busy: boolean;
  lastUsed: number;
}

interface WeightSlot {
  readonly index: number;
  key: number;
  users: number;
  lastUsed: number;
}

interface Place {
  readonly worker: WorkerState;
  readonly slot: Slot;
  readonly set: WeightSlot;
  readonly cached: number;
}

interface Candidate extends Omit<Place, "set"> {
  /** Cached tokens less what the imbalance costs. */
  readonly score: number;
}

interface Waiting {
  readonly weights: FrozenWeights;
  readonly request: EngineSampleRequest;
  readonly signal: AbortSignal | undefined;
  /** Called when the sample leaves the queue for a worker, which then obeys the signal. */
  readonly started: () => void;
  readonly resolve: (sequence: SampledSequence) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker with what the scheduler knows about its memory. */
interface WorkerState {
  readonly thread: WorkerThread;
  slots: Slot[];
  sets: WeightSlot[];
  live: number;
}

/** How many cached tokens one more live sample on a worker must save to be worth the imbalance. */
const IMBALANCE_TOKENS = 8;
const NO_KEY = -1;

export class SamplingScheduler {
  readonly #lanes: WorkerState[];
  readonly #slotsPerWorker: number;
  readonly #setsPerWorker: number;
  #waiting: Waiting[] = [];
  #clock = 0;

  constructor(
    threads: readonly WorkerThread[],
    limits: { readonly slots: number; readonly sets: number },
  ) {
    this.#slotsPerWorker = limits.slots;
    this.#setsPerWorker = limits.sets;
    this.#lanes = threads.map((thread) => ({ thread, live: 0, ...this.#emptyMemory() }));
  }

  #emptyMemory(): { slots: Slot[]; sets: WeightSlot[] } {
    return {
      slots: Array.from({ length: this.#slotsPerWorker }, (_, index) => ({
        index,
        tokens: new Int32Array(),
        key: NO_KEY,
        busy: false,
        lastUsed: 0,
      })),
      sets: Array.from({ length: this.#setsPerWorker }, (_, index) => ({
        index,
        key: NO_KEY,
        users: 0,
        lastUsed: 0,
      })),
    };
  }

  /** Drops the cache state of a restarted worker. */
  workerRestarted(thread: WorkerThread): void {
    const worker = this.#lanes.find((candidate) => candidate.thread === thread);
    if (worker !== undefined) Object.assign(worker, this.#emptyMemory());
    this.#dispatch();
  }

  sample(
    weights: FrozenWeights,
    request: EngineSampleRequest,
    signal?: AbortSignal,
  ): Promise<SampledSequence> {
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting = this.#waiting.filter((waiting) => waiting !== entry);
        reject(signal?.reason);
      };
      const started = (): void => signal?.removeEventListener("abort", leave);
      const entry: Waiting = { weights, request, signal, started, resolve, reject };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(entry);
      this.#dispatch();
    });
  }

  /** Scores on the least loaded worker, in a slot of its own. */
  async score(weights: FrozenWeights, request: PromptScoreRequest): Promise<PromptScores> {
    const worker = this.#lanes.toSorted((a, b) => a.live - b.live)[0];
    if (worker === undefined)
      throw new AppError("engine-worker", "The embedded engine has no worker.");
    const set = this.#claimSet(worker, weights);
    if (set === null) {
      throw new AppError(
        "engine-weights",
        "All sampler weights are in use. Ask again in a moment.",
      );
    }
    set.users++;
    try {
      return await worker.thread.score(set.index, this.#slotsPerWorker, request);
    } finally {
      set.users--;
      this.#dispatch();
    }
  }

  #dispatch(): void {
    const left: Waiting[] = [];
    for (const waiting of this.#waiting) {
      const place = this.#findPlace(waiting);
      if (place === null) left.push(waiting);
      else void this.#run(waiting, place);
    }
    this.#waiting = left;
  }

  #findPlace({ weights, request }: Waiting): Place | null {
    const leastLive = Math.min(...this.#lanes.map((worker) => worker.live));
    let best: Candidate | null = null;
    for (const worker of this.#lanes.filter((candidate) => canHold(candidate, weights.key))) {
      for (const slot of worker.slots.filter(({ busy }) => !busy)) {
        const cached = slot.key === weights.key ? commonPrefix(slot.tokens, request.prompt) : 0;
        const score = cached - IMBALANCE_TOKENS * (worker.live - leastLive);
        best = better(best, { worker, slot, cached, score });
      }
    }
    if (best === null) return null;
    const set = this.#claimSet(best.worker, weights);
    return set === null ? null : { ...best, set };
  }

  /** The set that holds the weights, loading them over the least recently used idle one if needed. */
  #claimSet(worker: WorkerState, weights: FrozenWeights): WeightSlot | null {
    this.#clock++;
    const held = worker.sets.find((set) => set.key === weights.key);
    const idle = worker.sets
      .filter((set) => set.users === 0)
      .toSorted((a, b) => a.lastUsed - b.lastUsed)[0];
    const set = held ?? idle;
    if (set === undefined) return null;
    set.lastUsed = this.#clock;
    if (held === undefined) {
      set.key = weights.key;
      worker.thread.loadSet(set.index, weights.adapter);
    }
    return set;
  }

  async #run(waiting: Waiting, place: Place): Promise<void> {
    const { worker, slot, set, cached } = place;
    const { request, weights } = waiting;
    waiting.started();
    slot.busy = true;
    slot.lastUsed = this.#clock;
    slot.key = NO_KEY;
    set.users++;
    worker.live++;
    try {
      const where = { set: set.index, slot: slot.index, cached };
      const { sequence } = await worker.thread.sample(where, request, waiting.signal);
      slot.tokens = heldTokens(request.prompt, sequence.tokens);
      slot.key = weights.key;
      waiting.resolve({ ...sequence, cachedPromptTokens: cached });
    } catch (error) {
      waiting.reject(error);
    } finally {
      slot.busy = false;
      set.users--;
      worker.live--;
      this.#dispatch();
    }
  }
}

/** The higher score; among equals the slot that was idle for longer. */
function better(best: Candidate | null, next: Candidate): Candidate {
  if (best === null || next.score > best.score) return next;
  const isOlder = next.score === best.score && next.slot.lastUsed < best.slot.lastUsed;
  return isOlder ? next : best;
}

/** True when the worker holds the weights or can make room for them. */
function canHold(worker: WorkerState, key: number): boolean {
  return worker.sets.some((set) => set.key === key || set.users === 0);
}

/** Length of the common prefix, one less than the prompt at most: its last token must run to give a distribution. */
function commonPrefix(held: Int32Array, prompt: Int32Array): number {
  const limit = Math.min(held.length, prompt.length - 1);
  let n = 0;
  while (n < limit && held[n] === prompt[n]) n++;
  return n;
}

/** The last sampled token was never fed back, so the slot does not hold it. */
function heldTokens(prompt: Int32Array, sampled: Int32Array): Int32Array {
  const held = new Int32Array(prompt.length + Math.max(0, sampled.length - 1));
  held.set(prompt);
  held.set(sampled.subarray(0, -1), prompt.length);
  return held;
}
