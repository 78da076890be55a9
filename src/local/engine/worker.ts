/** A compute thread: alternates between a training micro-batch and a decoding step, so that neither starves the other. */

import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import { AppError, errorMessage } from "../../core/errors.ts";
import { adapterLayout } from "./architecture.ts";
import { Arena } from "./arena.ts";
import { Decoder } from "./decoder.ts";
import type { TrainTarget } from "./linearTraining.ts";
import { LoraWeights } from "./loraWeights.ts";
import { evaluateLoss } from "./losses.ts";
import { Network } from "./network.ts";
import { SampleQueue } from "./sampleQueue.ts";
import { scorePrompt } from "./scorePrompt.ts";
import { Weights } from "./weights.ts";
import type { FromWorker, ToWorker, WorkerSetup } from "./workerMessages.ts";

type TrainJob = Extract<ToWorker, { kind: "train" }>;
type ScoreJob = Extract<ToWorker, { kind: "score" }>;

class ComputeWorker {
  readonly #port: MessagePort;
  readonly #setup: WorkerSetup;
  readonly #weights: Weights;
  readonly #decoder: Decoder;
  readonly #samples: SampleQueue;
  readonly #sets: (LoraWeights | undefined)[] = [];
  #network: Network | null = null;
  #version = -1;
  readonly #training: TrainJob[] = [];
  readonly #scores: ScoreJob[] = [];
  readonly #adapterScratch: number;
  #running = false;

  constructor(port: MessagePort, setup: WorkerSetup, arena: Arena) {
    this.#port = port;
    this.#setup = setup;
    this.#weights = new Weights(arena, setup.arch, setup.base, setup.maxRank);
    this.#decoder = new Decoder(this.#weights, setup.maxRows);
    this.#samples = new SampleQueue(this.#decoder, setup, (set) => this.#loraWeights(set));
    this.#adapterScratch = arena.alloc(adapterLayout(setup.arch, setup.maxRank).length);
    port.on("message", (message: ToWorker) => {
      this.#take(message);
      this.#wake();
    });
  }

  #send(message: FromWorker, transfer: ArrayBuffer[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #take(message: ToWorker): void {
    switch (message.kind) {
      case "train":
        this.#training.push(message);
        return;
      case "load":
        this.#load(message);
        return;
      case "sample":
        this.#samples.add(message);
        return;
      case "score":
        this.#scores.push(message);
        return;
      case "cancel":
        this.#samples.cancel(message.job);
    }
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    for (let next = receiveMessageOnPort(this.#port); next !== undefined; ) {
      this.#take(next.message);
      next = receiveMessageOnPort(this.#port);
    }
    const score = this.#scores.shift();
    if (score !== undefined) this.#withFallback(score.job, () => this.#score(score));
    const train = this.#training.shift();
    if (train !== undefined) this.#withFallback(train.job, () => this.#train(train));
    for (const outcome of this.#samples.step()) this.#send(outcome);
    this.#running = false;
    if (this.#training.length + this.#scores.length + this.#samples.size > 0) this.#wake();
  }

  #withFallback(job: number, action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#send({ kind: "failed", job, message: errorMessage(error) });
    }
  }

  #loraWeights(index: number): LoraWeights {
    const set = this.#sets[index];
    if (set === undefined)
      throw new AppError("engine-weights", `Sampler weights ${index} are not loaded.`);
    return set;
  }

  #load(message: Extract<ToWorker, { kind: "load" }>): void {
    const set = this.#sets[message.set] ?? new LoraWeights(this.#weights, false);
    this.#sets[message.set] = set;
    if (message.adapter === null) {
      set.merge(null);
      return;
    }
    const layout = adapterLayout(this.#setup.arch, message.adapter.rank);
    const { arena } = this.#weights;
    arena.floats(this.#adapterScratch, layout.length).set(message.adapter.parameters);
    set.merge({ layout, pointer: this.#adapterScratch });
  }

  /** The training network with the job's weights; its buffers are allocated on first use. */
  #networkFor(job: TrainJob): Network {
    const { arch, full, maxRank, maxRows } = this.#setup;
    const target: TrainTarget = full
      ? { kind: "full" }
      : { kind: "lora", largest: adapterLayout(arch, maxRank) };
    const network = this.#network ?? new Network(this.#weights, target, maxRows);
    this.#network = network;
    if (this.#version === job.weights.version) return network;
    const { parameters, rank, version } = job.weights;
    if (parameters === null) {
      throw new AppError("engine-weights", "A training job came without the weights it needs.");
    }
    if (full) network.linear.setBase(parameters);
    else network.linear.setAdapter(adapterLayout(arch, rank), parameters);
    this.#version = version;
    return network;
  }

  #train(job: TrainJob): void {
    const network = this.#networkFor(job);
    const flat = network.forward(job.data);
    const coefficients = new Float32Array(flat.length);
    const logprobs: Float32Array[] = [];
    let loss = 0;
    let start = 0;
    for (const datum of job.data) {
      const end = start + datum.tokens.length;
      const own = flat.slice(start, end);
      const result = evaluateLoss(job.loss, datum, own);
      loss += result.loss;
      coefficients.set(result.coefficients, start);
      logprobs.push(own);
      start = end;
    }
    let gradient: Float32Array | null = null;
    if (!job.forwardOnly) {
      network.linear.clearGradient();
      network.backward(coefficients);
      gradient = network.linear.gradient();
    }
    const transfer = gradient === null ? [] : [gradient.buffer as ArrayBuffer];
    this.#send({ kind: "trained", job: job.job, loss, logprobs, gradient }, transfer);
  }

  #score(job: ScoreJob): void {
    const scores = scorePrompt(this.#decoder, this.#loraWeights(job.set), job.slot, job.request);
    this.#send({ kind: "scored", job: job.job, scores });
  }
}

async function main(): Promise<void> {
  const setup = workerData as WorkerSetup; // sent by this program's own pool
  const port = parentPort;
  if (port === null)
    throw new AppError("engine-worker", "The engine's worker must run as a worker thread.");
  const arena = await Arena.load(setup.wasmPath);
  new ComputeWorker(port, setup, arena);
  const ready: FromWorker = { kind: "ready" };
  port.postMessage(ready);
}

await main();
