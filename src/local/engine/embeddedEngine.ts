/** The embedded engine: adapters, optimizer, and frozen samplers on this thread, computation on worker threads. */

import { availableParallelism } from "node:os";
import { AppError } from "../../core/errors.ts";
import type { AdamParams } from "../../core/tinker/wire/wire.ts";
import { adamStep, newOptimizerState, type OptimizerState } from "./adam.ts";
import { decodeAdapter, encodeAdapter } from "./adapterFile.ts";
import { freeze, initialParameters } from "./adapterParameters.ts";
import { type AdapterLayout, adapterLayout, MAX_RANK } from "./architecture.ts";
import type {
  Adapter,
  AdapterOptions,
  Engine,
  EngineDatum,
  EngineModel,
  EngineSampleRequest,
  ForwardBackwardOutcome,
  LossSpec,
  PromptScoreRequest,
  PromptScores,
  SampledSequence,
  Snapshot,
  TrainedProjections,
} from "./engine.ts";
import { loadModelFolder, type ModelFolder } from "./modelFolder.ts";
import { type FrozenWeights, SamplingScheduler } from "./samplingScheduler.ts";
import { addInto, MICRO_BATCH_TOKENS, runBatch } from "./trainingPool.ts";
import { WorkerThread } from "./workerThread.ts";

/** Paths of the engine's files, and its number of threads. */
export interface EngineProgram {
  readonly wasmPath: string;
  readonly workerPath: string;
  /** Compute threads; default: one less than the number of cores, between 2 and 4, but 1 on a single core. */
  readonly workers?: number | undefined;
}

export interface EngineOptions extends EngineProgram {
  readonly modelFolder: string;
}

interface AdapterRecord {
  readonly handle: Adapter;
  readonly layout: AdapterLayout;
  readonly parameters: Float32Array;
  optimizer: OptimizerState;
  gradient: Float32Array | null;
  /** Changes with the parameters; unique across adapters. */
  version: number;
  /** Resolves after all operations on this adapter so far, which run in order. */
  tail: Promise<unknown>;
}

interface SnapshotRecord extends TrainedProjections {
  readonly weights: FrozenWeights;
  readonly adapter: { readonly layout: AdapterLayout; readonly parameters: Float32Array };
}

const BASE_WEIGHTS: FrozenWeights = { key: 0, adapter: null };
const SLOTS_PER_WORKER = 96;
const SETS_PER_WORKER = 6;

/** Starts an engine with the model in a folder. @throws AppError `engine-model`, and as `startEngine` */
export async function createEngine({ modelFolder, ...program }: EngineOptions): Promise<Engine> {
  return startEngine(await loadModelFolder(modelFolder), program);
}

/** Starts the workers and waits until they have loaded the model. @throws AppError `engine-kernels`, `engine-worker` */
export async function startEngine(model: ModelFolder, program: EngineProgram): Promise<Engine> {
  const engine = new EmbeddedEngine(model, program);
  try {
    await engine.ready();
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

function defaultWorkers(): number {
  const cores = availableParallelism();
  return cores === 1 ? 1 : Math.min(4, Math.max(2, cores - 1));
}

class EmbeddedEngine implements Engine {
  readonly model: EngineModel;
  readonly #folder: ModelFolder;
  readonly #threads: readonly WorkerThread[];
  readonly #scheduler: SamplingScheduler;
  readonly #adapters = new Map<number, AdapterRecord>();
  readonly #snapshots = new Map<number, SnapshotRecord>();
  #nextId = 1;

  constructor(folder: ModelFolder, options: EngineProgram) {
    this.#folder = folder;
    this.model = {
      name: folder.name,
      vocabSize: folder.arch.vocabSize,
      maxContext: folder.arch.maxContext,
      eosIds: folder.eosIds,
    };
    const setup = {
      wasmPath: options.wasmPath,
      arch: folder.arch,
      base: folder.base,
      tokens: folder.tokens,
      maxRank: MAX_RANK,
      // Sequences are never split; one longer than a micro-batch gets its own.
      maxRows: Math.max(MICRO_BATCH_TOKENS, folder.arch.maxContext),
      sets: SETS_PER_WORKER,
      full: false,
    };
    const threads: WorkerThread[] = [];
    for (let i = 0; i < (options.workers ?? defaultWorkers()); i++) {
      const thread = new WorkerThread(options.workerPath, setup, () =>
        this.#scheduler.workerRestarted(thread),
      );
      threads.push(thread);
    }
    this.#threads = threads;
    this.#scheduler = new SamplingScheduler(threads, {
      slots: SLOTS_PER_WORKER,
      sets: SETS_PER_WORKER,
    });
  }

  async ready(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.ready()));
  }

  createAdapter(options: AdapterOptions): Adapter {
    if (!Number.isInteger(options.rank) || options.rank < 1 || options.rank > MAX_RANK) {
      throw new AppError(
        "engine-rank",
        `lora rank ${options.rank} is not between 1 and ${MAX_RANK}.`,
      );
    }
    const layout = adapterLayout(this.#folder.arch, options.rank);
    return this.#addAdapter(layout, initialParameters(layout, options.seed), null, options);
  }

  #addAdapter(
    layout: AdapterLayout,
    parameters: Float32Array,
    optimizer: OptimizerState | null,
    flags: TrainedProjections,
  ): Adapter {
    const handle: Adapter = {
      id: this.#nextId++,
      rank: layout.rank,
      trainAttn: flags.trainAttn,
      trainMlp: flags.trainMlp,
    };
    this.#adapters.set(handle.id, {
      handle,
      layout,
      parameters,
      optimizer: optimizer ?? newOptimizerState(layout.length),
      gradient: null,
      version: this.#nextId++,
      tail: Promise.resolve(),
    });
    return handle;
  }

  #adapter(handle: Adapter): AdapterRecord {
    const record = this.#adapters.get(handle.id);
    if (record === undefined)
      throw new AppError("engine-released", "This model has been released.");
    return record;
  }

  #snapshot(handle: Snapshot): SnapshotRecord {
    const record = this.#snapshots.get(handle.id);
    if (record === undefined)
      throw new AppError("engine-released", "These sampler weights have been released.");
    return record;
  }

  /** Runs `action` after all earlier operations on this adapter. */
  #inOrder<T>(record: AdapterRecord, action: () => T | Promise<T>): Promise<T> {
    const result = record.tail.then(action);
    record.tail = result.catch(() => undefined);
    return result;
  }

  async forwardBackward(
    adapter: Adapter,
    data: readonly EngineDatum[],
    loss: LossSpec,
    forwardOnly: boolean,
  ): Promise<ForwardBackwardOutcome> {
    const record = this.#adapter(adapter);
    return this.#inOrder(record, async () => {
      const weights = {
        version: record.version,
        rank: record.layout.rank,
        parameters: record.parameters,
      };
      const outcome = await runBatch(this.#threads, weights, data, loss, forwardOnly);
      if (outcome.gradient !== null) {
        if (record.gradient === null) record.gradient = outcome.gradient;
        else addInto(record.gradient, outcome.gradient);
      }
      const tokens = data.reduce((sum, datum) => sum + datum.tokens.length, 0);
      return {
        logprobs: outcome.logprobs,
        metrics: { "loss:sum": outcome.loss, "num_tokens:sum": tokens },
      };
    });
  }

  async optimStep(adapter: Adapter, params: AdamParams): Promise<Readonly<Record<string, number>>> {
    const record = this.#adapter(adapter);
    return this.#inOrder(record, () => {
      const gradient = record.gradient ?? new Float32Array(record.layout.length);
      freeze(record.layout, record.handle, gradient);
      const norm = adamStep(record.parameters, gradient, record.optimizer, params);
      record.gradient = null;
      record.version = this.#nextId++;
      return { "grad_norm:mean": norm };
    });
  }

  async snapshot(adapter: Adapter): Promise<Snapshot> {
    const record = this.#adapter(adapter);
    return this.#inOrder(record, () =>
      this.#addSnapshot(record.layout, record.parameters.slice(), record.handle),
    );
  }

  #addSnapshot(
    layout: AdapterLayout,
    parameters: Float32Array,
    flags: TrainedProjections,
  ): Snapshot {
    const id = this.#nextId++;
    this.#snapshots.set(id, {
      weights: { key: id, adapter: { rank: layout.rank, parameters } },
      adapter: { layout, parameters },
      trainAttn: flags.trainAttn,
      trainMlp: flags.trainMlp,
    });
    return { id };
  }

  async exportAdapter(source: Adapter | Snapshot, withOptimizer: boolean): Promise<Uint8Array> {
    const name = this.#folder.name;
    if (!("rank" in source)) {
      const { adapter, trainAttn, trainMlp } = this.#snapshot(source);
      return encodeAdapter(name, { ...adapter, trainAttn, trainMlp, optimizer: null });
    }
    const record = this.#adapter(source);
    return this.#inOrder(record, () =>
      encodeAdapter(name, {
        layout: record.layout,
        parameters: record.parameters,
        optimizer: withOptimizer ? record.optimizer : null,
        trainAttn: record.handle.trainAttn,
        trainMlp: record.handle.trainMlp,
      }),
    );
  }

  importAdapter(bytes: Uint8Array, withOptimizer: boolean): Adapter {
    const contents = decodeAdapter(bytes, this.#folder.name, this.#folder.arch, withOptimizer);
    return this.#addAdapter(contents.layout, contents.parameters, contents.optimizer, contents);
  }

  importSnapshot(bytes: Uint8Array): Snapshot {
    const contents = decodeAdapter(bytes, this.#folder.name, this.#folder.arch, false);
    return this.#addSnapshot(contents.layout, contents.parameters, contents);
  }

  async sample(
    weights: Snapshot | null,
    request: EngineSampleRequest,
    signal?: AbortSignal,
  ): Promise<SampledSequence> {
    const { maxContext } = this.model;
    const total = request.prompt.length + request.maxTokens;
    if (request.prompt.length === 0 || total > maxContext) {
      throw new AppError(
        "engine-context",
        `PromptTooLong: ${request.prompt.length} + ${request.maxTokens} > ${maxContext}`,
      );
    }
    const sampler = weights === null ? BASE_WEIGHTS : this.#snapshot(weights).weights;
    return this.#scheduler.sample(sampler, request, signal);
  }

  async scorePrompt(weights: Snapshot | null, request: PromptScoreRequest): Promise<PromptScores> {
    const sampler = weights === null ? BASE_WEIGHTS : this.#snapshot(weights).weights;
    return this.#scheduler.score(sampler, request);
  }

  releaseAdapter(adapter: Adapter): void {
    this.#adapters.delete(adapter.id);
  }

  releaseSnapshot(snapshot: Snapshot): void {
    this.#snapshots.delete(snapshot.id);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}
