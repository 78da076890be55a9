/** An engine whose model is a table: the next token depends only on the last one. It really trains and samples. */

import { AppError } from "../../src/core/errors.ts";
import type { AdamParams } from "../../src/core/tinker/wire/wire.ts";
import type {
  Adapter,
  AdapterOptions,
  Engine,
  EngineDatum,
  EngineModel,
  EngineSampleRequest,
  LossSpec,
  PromptScoreRequest,
  SampledSequence,
  Snapshot,
} from "../../src/local/engine/engine.ts";
import { FakeAdamTable } from "./fakeAdamTable.ts";

export const fakeModel: EngineModel = {
  name: "local/fake",
  vocabSize: 32,
  maxContext: 64,
  eosIds: [2],
};

const V = fakeModel.vocabSize;
const CHARACTERS = "abcdefghijklmnopqrstuvwxyz012345";

export interface FakeEngine extends Engine {
  /** Calls that change or read adapters, in order. */
  readonly calls: readonly string[];
  /** Number of handles created and not released. */
  openHandles(): number;
  /** While set, samples wait for it or for their signal. */
  hold: Promise<void> | null;
}

export function createFakeEngine(): FakeEngine {
  const calls: string[] = [];
  const adapters = new Map<number, FakeAdamTable>();
  const snapshots = new Map<number, Float64Array>();
  let lastId = 0;

  function adopt(options: Omit<AdapterOptions, "seed">, table: FakeAdamTable): Adapter {
    lastId += 1;
    adapters.set(lastId, table);
    return { ...options, id: lastId };
  }
  function freeze(weights: Float64Array): Snapshot {
    lastId += 1;
    snapshots.set(lastId, weights.slice());
    return { id: lastId };
  }
  function tableOf(adapter: Adapter): FakeAdamTable {
    return held(adapters.get(adapter.id), `adapter ${adapter.id}`);
  }
  function weightsOf(source: Adapter | Snapshot | null): Float64Array {
    if (source === null) return new Float64Array(V * V);
    return (
      adapters.get(source.id)?.weights ?? held(snapshots.get(source.id), `snapshot ${source.id}`)
    );
  }

  const engine: FakeEngine = {
    model: fakeModel,
    calls,
    hold: null,
    openHandles: () => adapters.size + snapshots.size,
    createAdapter: ({ rank, trainAttn, trainMlp }) =>
      adopt({ rank, trainAttn, trainMlp }, new FakeAdamTable(V * V)),
    forwardBackward: async (adapter, data, loss, forwardOnly) => {
      calls.push(`${forwardOnly ? "forward" : "forwardBackward"} ${data.length}`);
      return forwardBackward(tableOf(adapter), data, loss, forwardOnly);
    },
    optimStep: async (adapter, params: AdamParams) => {
      calls.push("optimStep");
      return { "grad_norm:mean": tableOf(adapter).step(params) };
    },
    snapshot: async (adapter) => {
      calls.push("snapshot");
      return freeze(tableOf(adapter).weights);
    },
    exportAdapter: async (source, withOptimizer) => {
      const options = "rank" in source ? source : { rank: 8, trainAttn: true, trainMlp: true };
      const state = adapters.get(source.id)?.state() ?? { weights: [...weightsOf(source)] };
      const { weights, ...optimizer } = state;
      return new TextEncoder().encode(
        JSON.stringify({ options, weights, ...(withOptimizer && { optimizer }) }),
      );
    },
    importAdapter: (bytes, withOptimizer) => {
      const { options, weights, optimizer } = parseCheckpoint(bytes);
      const table = new FakeAdamTable(V * V);
      table.restore({ weights, ...(withOptimizer && optimizer) });
      return adopt(options, table);
    },
    importSnapshot: (bytes) => freeze(Float64Array.from(parseCheckpoint(bytes).weights)),
    sample: async (weights, request, signal) => {
      await Promise.race([engine.hold, aborted(signal)]);
      signal?.throwIfAborted();
      return sample(weightsOf(weights), request);
    },
    scorePrompt: async (weights, request) => scorePrompt(weightsOf(weights), request),
    releaseAdapter: (adapter) => void adapters.delete(adapter.id),
    releaseSnapshot: (snapshot) => void snapshots.delete(snapshot.id),
    close: async () => void calls.push("close"),
  };
  return engine;
}

function held<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`${what} is released`);
  return value;
}

async function aborted(signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined || signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

interface FakeCheckpoint {
  readonly options: Omit<AdapterOptions, "seed">;
  readonly weights: readonly number[];
  readonly optimizer: object;
}

function parseCheckpoint(bytes: Uint8Array): FakeCheckpoint {
  try {
    // Only files written by this engine, or broken ones, get here.
    return JSON.parse(new TextDecoder().decode(bytes)) as FakeCheckpoint;
  } catch (cause) {
    throw new AppError("checkpoint-invalid", "The bytes are no adapter.", { cause });
  }
}

/** Log-probabilities of the token after `token`: a fixed pattern plus the trained weights. */
function nextLogprobs(weights: Float64Array, token: number): Float64Array {
  const logits = Float64Array.from(
    { length: V },
    (_, next) => 2 * Math.sin(12.9898 * token + 78.233 * next) + (weights[token * V + next] ?? 0),
  );
  const norm = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
  return logits.map((logit) => logit - norm);
}

function forwardBackward(
  table: FakeAdamTable,
  data: readonly EngineDatum[],
  loss: LossSpec,
  forwardOnly: boolean,
) {
  let total = 0;
  const logprobs = data.map((datum) =>
    Float32Array.from(datum.tokens, (token, i) => {
      const row = nextLogprobs(table.weights, token);
      const target = datum.targets[i] ?? 0;
      const p = row[target] ?? 0;
      const { value, slope } = tokenLoss(datum, i, p, loss);
      total += value;
      if (!forwardOnly) {
        row.forEach((logprob, next) => {
          const change = (next === target ? 1 : 0) - Math.exp(logprob);
          table.addGradient(token * V + next, slope * change);
        });
      }
      return p;
    }),
  );
  return { logprobs, metrics: { "loss:sum": total } };
}

/** A token's loss and its derivative with respect to the log-probability p. */
function tokenLoss(datum: EngineDatum, i: number, p: number, loss: LossSpec) {
  const weight = datum.weights[i] ?? 0;
  const q = datum.logprobs?.[i] ?? 0;
  const ratio = Math.exp(p - q);
  const clamped = Math.min(Math.max(ratio, loss.clipLow), loss.clipHigh);
  switch (loss.name) {
    case "cross_entropy":
      return { value: -weight * p, slope: -weight };
    case "importance_sampling":
      return { value: -ratio * weight, slope: -ratio * weight };
    case "ppo": {
      const isClipped = clamped * weight < ratio * weight;
      return {
        value: -Math.min(ratio * weight, clamped * weight),
        slope: isClipped ? 0 : -ratio * weight,
      };
    }
    case "cispo":
      return { value: -clamped * p * weight, slope: -clamped * weight };
    case "dro":
      return {
        value: -(p * weight - 0.5 * loss.beta * (p - q) ** 2),
        slope: -(weight - loss.beta * (p - q)),
      };
    case "gspo":
      throw new Error("This engine computes losses of single tokens only.");
  }
}

function ranked(row: Float64Array, count: number) {
  return Array.from(row, (logprob, id) => ({ id, logprob }))
    .sort((a, b) => b.logprob - a.logprob)
    .slice(0, count);
}

function sample(weights: Float64Array, request: EngineSampleRequest): SampledSequence {
  const tokens: number[] = [];
  const logprobs: number[] = [];
  const top: ReturnType<typeof ranked>[] = [];
  const random = randomNumbers(request.seed);
  let isStopped = false;
  while (tokens.length < request.maxTokens && !isStopped) {
    const row = nextLogprobs(weights, tokens.at(-1) ?? request.prompt.at(-1) ?? 0);
    const token = draw(row, request, random());
    tokens.push(token);
    logprobs.push(row[token] ?? 0);
    top.push(ranked(row, request.topSampleLogprobs));
    const text = tokens.map((id) => CHARACTERS[id]).join("");
    isStopped =
      request.stopIds.includes(token) || request.stopStrings.some((stop) => text.includes(stop));
  }
  return {
    tokens: Int32Array.from(tokens),
    logprobs: Float32Array.from(logprobs),
    stopReason: isStopped ? "stop" : "length",
    ...(request.topSampleLogprobs > 0 && { topLogprobs: top }),
    cachedPromptTokens: 0,
  };
}

function draw(
  row: Float64Array,
  { temperature, topK, topP }: EngineSampleRequest,
  uniform: number,
) {
  const order = ranked(row, temperature === 0 ? 1 : topK === -1 ? V : topK);
  let mass = 0;
  const nucleus = order.filter(({ logprob }) => {
    const isIn = mass < topP;
    mass += Math.exp(logprob);
    return isIn;
  });
  const odds = nucleus.map(({ logprob }) => Math.exp(logprob / (temperature || 1)));
  let rest = uniform * odds.reduce((sum, value) => sum + value, 0);
  const chosen = nucleus.find((_, i) => {
    rest -= odds[i] ?? 0;
    return rest <= 0;
  });
  return (chosen ?? nucleus[0])?.id ?? 0;
}

function scorePrompt(weights: Float64Array, request: PromptScoreRequest) {
  const { prompt, top, targets, targetsPerPosition } = request;
  const rows = Array.from(prompt.subarray(0, -1), (token) => nextLogprobs(weights, token));
  return {
    logprobs: Float32Array.from(prompt, (token, i) => rows[i - 1]?.[token] ?? Number.NaN),
    top: top === 0 ? null : [null, ...rows.map((row) => ranked(row, top))],
    targetLogprobs:
      targets &&
      Float32Array.from(targets, (id, i) =>
        id === -1 ? 0 : (rows[Math.floor(i / targetsPerPosition)]?.[id] ?? 0),
      ),
  };
}

/** mulberry32 */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
