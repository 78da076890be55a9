/** The samples in progress on a worker, which advance together one decoding step at a time. */

import { createUniform } from "../../shared/uniform.ts";
import type { DecodeInput, Decoder } from "./decoder.ts";
import type { TopToken } from "./engine.ts";
import type { LoraWeights } from "./loraWeights.ts";
import { sampleToken, topTokens } from "./sampleToken.ts";
import { StopStringWatch } from "./stopStrings.ts";
import type { FromWorker, ToWorker, WorkerSetup } from "./workerMessages.ts";

type SampleJob = Extract<ToWorker, { kind: "sample" }>;

interface LiveSample {
  readonly job: SampleJob;
  /** Tokens not yet in the slot: first pieces of the prompt, then the last sampled token. */
  pending: Int32Array;
  readonly tokens: number[];
  readonly logprobs: number[];
  readonly top: (readonly TopToken[])[];
  readonly uniform: () => number;
  readonly stops: ReadonlySet<number>;
  readonly stopStrings: StopStringWatch | null;
}

export class SampleQueue {
  readonly #decoder: Decoder;
  readonly #setup: WorkerSetup;
  readonly #loraWeights: (set: number) => LoraWeights;
  #live: LiveSample[] = [];

  constructor(decoder: Decoder, setup: WorkerSetup, loraWeights: (set: number) => LoraWeights) {
    this.#decoder = decoder;
    this.#setup = setup;
    this.#loraWeights = loraWeights;
  }

  get size(): number {
    return this.#live.length;
  }

  add(job: SampleJob): void {
    const { request } = job;
    this.#decoder.truncate(job.slot, job.cached);
    this.#live.push({
      job,
      pending: request.prompt.subarray(job.cached),
      tokens: [],
      logprobs: [],
      top: [],
      uniform: createUniform(request.seed),
      stops: new Set(request.stopIds),
      stopStrings:
        request.stopStrings.length > 0
          ? new StopStringWatch(request.stopStrings, this.#setup.tokens)
          : null,
    });
  }

  cancel(job: number): void {
    this.#live = this.#live.filter((sample) => sample.job.job !== job);
  }

  /** Runs one engine step over samples with the same weight set and returns the finished ones. */
  step(): FromWorker[] {
    const first = this.#live[0];
    if (first === undefined) return [];
    const batch: LiveSample[] = [];
    const rest: LiveSample[] = [];
    let rows = 0;
    for (const sample of this.#live) {
      const need = sample.pending.length;
      if (sample.job.set === first.job.set && rows + need <= this.#decoder.maxRows) {
        batch.push(sample);
        rows += need;
      } else {
        rest.push(sample);
      }
    }
    const ended = this.#advance(batch, this.#loraWeights(first.job.set));
    // Samples that waited go first next time, so that no weight set and no long prompt starves.
    this.#live = [...rest, ...batch.filter((sample) => !ended.has(sample))];
    return Array.from(ended.values());
  }

  #advance(batch: readonly LiveSample[], set: LoraWeights): Map<LiveSample, FromWorker> {
    const inputs = batch.map(
      (sample): DecodeInput => ({ slot: sample.job.slot, tokens: sample.pending, wanted: 1 }),
    );
    const logprobs = this.#decoder.step(set, inputs);
    const vocabulary = this.#setup.arch.vocabSize;
    const ended = new Map<LiveSample, FromWorker>();
    for (const [i, sample] of batch.entries()) {
      const row = logprobs.subarray(i * vocabulary, (i + 1) * vocabulary);
      const outcome = takeToken(sample, row);
      if (outcome !== null) ended.set(sample, outcome);
    }
    return ended;
  }
}

/** Adds a sampled token; returns the result if it was the last. */
function takeToken(sample: LiveSample, row: Float32Array): FromWorker | null {
  const { request } = sample.job;
  const id = sampleToken(row, request, sample.uniform());
  sample.tokens.push(id);
  sample.logprobs.push(row[id] ?? 0);
  if (request.topSampleLogprobs > 0) sample.top.push(topTokens(row, request.topSampleLogprobs));
  const stopped = sample.stops.has(id) || (sample.stopStrings?.push(id) ?? false);
  if (!stopped && sample.tokens.length < request.maxTokens) {
    sample.pending = Int32Array.of(id);
    return null;
  }
  return {
    kind: "sampled",
    job: sample.job.job,
    sequence: {
      tokens: Int32Array.from(sample.tokens),
      logprobs: Float32Array.from(sample.logprobs),
      stopReason: stopped ? "stop" : "length",
      topLogprobs: request.topSampleLogprobs > 0 ? sample.top : undefined,
    },
  };
}
