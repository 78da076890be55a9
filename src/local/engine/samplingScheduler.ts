/** Assigns samples to worker slots: where most of the prompt is cached for the same weights, else to the least busy worker. */

import type {
  EngineSampleRequest,
  PromptScoreRequest,
  PromptScores,
  SampledSequence,
} from "./engine.ts";
import type { FrozenAdapter } from "./workerMessages.ts";
import type { WorkerThread } from "./workerThread.ts";

/** Frozen sampler parameters; key 0 is the base model. */
export interface FrozenWeights {
  readonly key: number;
  readonly adapter: FrozenAdapter | null;
}

interface Slot {
  readonly index: number;
  /** Tokens in the slot's KV cache, computed with the weights of `key`. */
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
  /** Number of cached tokens minus a penalty for imbalance. */
  readonly score: number;
}

/** Starts on a worker and returns true, or returns false if none has room. */
type Waiting = () => boolean;

/** A worker and the scheduler's view of its memory. */
interface WorkerState {
  readonly thread: WorkerThread;
  slots: Slot[];
  sets: WeightSlot[];
  live: number;
}

/** Number of cached tokens that must be saved to justify one more live request on a worker. */
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

  /** Resets the cache state of a restarted worker. */
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
      const entry: Waiting = () => {
        const place = this.#findPlace(weights, request);
        if (place === null) return false;
        // From now on the worker handles the signal.
        signal?.removeEventListener("abort", leave);
        this.#sample(place, weights, request, signal).then(resolve, reject);
        return true;
      };
      signal?.addEventListener("abort", leave, { once: true });
      this.#waiting.push(entry);
      this.#dispatch();
    });
  }

  /** Scores on the least loaded worker with room for the weights, in a slot of its own. */
  score(weights: FrozenWeights, request: PromptScoreRequest): Promise<PromptScores> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
        const [worker] = this.#lanes
          .filter((candidate) => canHold(candidate, weights.key))
          .toSorted((a, b) => a.live - b.live);
        const set = worker === undefined ? null : this.#claimSet(worker, weights);
        if (worker === undefined || set === null) return false;
        this.#score(worker, set, request).then(resolve, reject);
        return true;
      });
      this.#dispatch();
    });
  }

  #dispatch(): void {
    this.#waiting = this.#waiting.filter((begin) => !begin());
  }

  #findPlace(weights: FrozenWeights, request: EngineSampleRequest): Place | null {
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

  /** The set that holds the weights, loaded over the least recently used idle set if necessary. */
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

  async #sample(
    { worker, slot, set, cached }: Place,
    weights: FrozenWeights,
    request: EngineSampleRequest,
    signal: AbortSignal | undefined,
  ): Promise<SampledSequence> {
    slot.busy = true;
    slot.lastUsed = this.#clock;
    slot.key = NO_KEY;
    set.users++;
    worker.live++;
    try {
      const where = { set: set.index, slot: slot.index, cached };
      const { sequence } = await worker.thread.sample(where, request, signal);
      slot.tokens = heldTokens(request.prompt, sequence.tokens);
      slot.key = weights.key;
      return { ...sequence, cachedPromptTokens: cached };
    } finally {
      slot.busy = false;
      set.users--;
      worker.live--;
      this.#dispatch();
    }
  }

  async #score(
    worker: WorkerState,
    set: WeightSlot,
    request: PromptScoreRequest,
  ): Promise<PromptScores> {
    set.users++;
    worker.live++;
    try {
      return await worker.thread.score(set.index, this.#slotsPerWorker, request);
    } finally {
      set.users--;
      worker.live--;
      this.#dispatch();
    }
  }
}

/** The candidate with the higher score; on ties, the slot that has been idle longer. */
function better(best: Candidate | null, next: Candidate): Candidate {
  if (best === null || next.score > best.score) return next;
  const isOlder = next.score === best.score && next.slot.lastUsed < best.slot.lastUsed;
  return isOlder ? next : best;
}

/** True if the worker holds the weights or can make room for them. */
function canHold(worker: WorkerState, key: number): boolean {
  return worker.sets.some((set) => set.key === key || set.users === 0);
}

/** Length of the common prefix, but at most the prompt's length minus one: its last token must run to produce a distribution. */
function commonPrefix(held: Int32Array, prompt: Int32Array): number {
  const limit = Math.min(held.length, prompt.length - 1);
  let n = 0;
  while (n < limit && held[n] === prompt[n]) n++;
  return n;
}

/** The last sampled token was never fed back, so it is not in the cache. */
function heldTokens(prompt: Int32Array, sampled: Int32Array): Int32Array {
  const held = new Int32Array(prompt.length + Math.max(0, sampled.length - 1));
  held.set(prompt);
  held.set(sampled.subarray(0, -1), prompt.length);
  return held;
}
