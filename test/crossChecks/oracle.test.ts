import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CorrectionName } from "../../src/core/config/rules/correctionDefaults.ts";
import type { Example } from "../../src/core/examples/example.ts";
import { Ledger } from "../../src/core/rollout/ledger.ts";
import { exampleDatums, weightedData } from "../../src/core/training/supervised/supervisedSteps.ts";
import type { TrainingDatum } from "../../src/core/training/update/datums.ts";
import { correctOffPolicy, isMasked } from "../../src/core/training/update/offPolicyCorrection.ts";
import { encodeAdapter } from "../../src/local/engine/adapterFile.ts";
import { adapterLayout, baseLayout } from "../../src/local/engine/architecture.ts";
import { Arena } from "../../src/local/engine/arena.ts";
import type { EngineDatum, LossSpec } from "../../src/local/engine/engine.ts";
import type { TrainTarget } from "../../src/local/engine/linearTraining.ts";
import { evaluateLoss } from "../../src/local/engine/losses.ts";
import { loadModelFolder } from "../../src/local/engine/modelFolder.ts";
import { Network } from "../../src/local/engine/network.ts";
import { decodeSafetensors, type Tensor } from "../../src/local/engine/safetensors.ts";
import { Weights } from "../../src/local/engine/weights.ts";
import { createUniform } from "../../src/shared/uniform.ts";
import { preparePython } from "../conformance/python.ts";
import { aRecord } from "../core/runFolder/builders.ts";
import { TINY, writeTinyModel } from "../local/engine/engineFixture.ts";
import { KERNELS, randomAdapter, randomSequences } from "../local/engine/testModel.ts";

const ORACLE = fileURLToPath(new URL("oracle.py", import.meta.url));
const LENGTHS = [13, 33, 1, 64, 8];
const ROWS = 128;
const MODEL = "local/tiny-test";
/** Not a multiple of eight: the padding of the rank must stay out of the gradients. */
const LAYOUT = adapterLayout(TINY, 5);
const LOGPROB_LIMIT = 1e-5;
const GRADIENT_LIMIT = 1e-4;

const CROSS_ENTROPY: LossSpec = { name: "cross_entropy", clipLow: 0, clipHigh: 0, beta: 0 };
const LOSSES: readonly LossSpec[] = [
  CROSS_ENTROPY,
  { name: "importance_sampling", clipLow: 0, clipHigh: 0, beta: 0 },
  { name: "ppo", clipLow: 0.8, clipHigh: 1.2, beta: 0 },
  { name: "cispo", clipLow: 0.9, clipHigh: 1.3, beta: 0 },
  { name: "dro", clipLow: 0, clipHigh: 0, beta: 0.05 },
  { name: "gspo", clipLow: 0.97, clipHigh: 1.02, beta: 0 },
];
const MODES = ["lora", "full"] as const;
type Mode = (typeof MODES)[number];

/** A correction with bounds that some tokens and sequences exceed, in a form that the oracle also reads. */
interface Correction {
  readonly name: Exclude<CorrectionName, "none">;
  readonly low: number;
  readonly high: number;
}
const CORRECTIONS: readonly Correction[] = [
  { name: "tis", low: 0, high: 1.1 },
  { name: "icepop", low: 0.8, high: 1.2 },
  { name: "sequence_mask", low: 0.97, high: 1.03 },
];

/** Means of supervised steps, in the oracle's names, which averages over tokens and examples; the engine gets weights. */
const MEANS = { token_mean: "token_mean", example_mean: "sequence_mean" } as const;
type Mean = keyof typeof MEANS;

interface Case {
  readonly name: string;
  readonly mode: Mode;
  readonly loss: LossSpec;
  readonly correction: Correction | null;
  readonly mean?: Mean;
}
const CASES: readonly Case[] = [
  ...MODES.flatMap((mode) =>
    LOSSES.map((loss) => ({ mode, loss, correction: null, name: `${loss.name}, ${mode}` })),
  ),
  ...CORRECTIONS.flatMap((correction) =>
    LOSSES.filter(({ name }) => name !== "cross_entropy").map((loss) => ({
      mode: "lora" as const,
      loss,
      correction,
      name: `${correction.name} with ${loss.name}`,
    })),
  ),
  ...MODES.flatMap((mode) =>
    (["token_mean", "example_mean"] as const).map((mean) => {
      const name = `examples by ${mean}, ${mode}`;
      return { mode, mean, loss: CROSS_ENTROPY, correction: null, name };
    }),
  ),
];

const EXAMPLES = [[[17, 13], [9]], [[25]], [[2, 5, 1]]].map(anExample);
const EXAMPLE_DATA = exampleDatums(EXAMPLES);

/** Streams of random tokens, each with trained turns of these lengths between others. */
function anExample(streams: readonly (readonly number[])[], index: number): Example {
  const ids = (length: number): Int32Array =>
    randomSequences(TINY, [length], 10 * length + index)[0]?.tokens ?? new Int32Array();
  const ledgers = streams.map((turns) => {
    const ledger = new Ledger(ids(7));
    for (const length of turns) {
      ledger.addGivenTurn(ids(length), true);
      ledger.addGivenTurn(ids(3), false);
    }
    return ledger;
  });
  const place = { source: "demos.jsonl", index, task: `${index}`, split: "train" } as const;
  return { ...place, streams: ledgers, record: aRecord() };
}

/** The data that a supervised step sends for the examples. */
function sentExamples(mean: Mean): readonly EngineDatum[] {
  const config = { loss_normalization: MEANS[mean], max_response_tokens: 1 };
  return weightedData(EXAMPLES, EXAMPLE_DATA, config).map(({ tokens, lossInputs }) => ({
    tokens: Int32Array.from(tokens),
    targets: Int32Array.from(lossInputs["target_tokens"] ?? []),
    weights: Float32Array.from(lossInputs["weights"] ?? []),
    logprobs: null,
  }));
}

/** The same for the oracle: 1 if a token is trained. */
function markedExamples(loss: LossSpec): readonly WireDatum[] {
  return EXAMPLE_DATA.map(({ tokens, targets, mask, group }) => ({
    ...wireDatum({ tokens, targets, weights: Float32Array.from(mask), logprobs: null }, loss),
    example: Array.from(tokens, () => group),
  }));
}

const requirements = new URL("requirements.txt", import.meta.url);
const python = await preparePython({ name: "crossChecks", requirements, versions: "3.10 to 3.13" });

interface Result {
  readonly loss: number;
  readonly logprobs: readonly Float32Array[];
  /** With the names and in the orientation of checkpoint files. */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

/** An adapter in its true rank: the padding is zero. */
function adapter(): Float32Array {
  const bytes = encodeAdapter(MODEL, contents(randomAdapter(LAYOUT, 2)));
  const parameters = new Float32Array(LAYOUT.length);
  const { tensors } = decodeSafetensors(bytes);
  for (const layer of LAYOUT.layers) {
    for (const { a, b } of Object.values(layer)) {
      parameters.set(transposedInto(tensors.get(a.name), a.columns), a.offset);
      parameters.set(transposedInto(tensors.get(b.name), b.columns), b.offset);
    }
  }
  return parameters;
}

function contents(parameters: Float32Array) {
  return { layout: LAYOUT, parameters, optimizer: null, trainAttn: true, trainMlp: true };
}

/** The transpose of a [rows, columns] tensor, in rows of `width`. */
function transposedInto(tensor: Tensor | undefined, width: number): Float32Array {
  const [rows = 0, columns = 0] = tensor?.shape ?? [];
  const out = new Float32Array(columns * width);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) out[j * width + i] = tensor?.data[i * columns + j] ?? 0;
  }
  return out;
}

/** The engine's own result, as computed by one of its workers. */
class Candidate {
  readonly #networks: Readonly<Record<Mode, Network>>;

  private constructor(networks: Readonly<Record<Mode, Network>>) {
    this.#networks = networks;
  }

  static async create(modelFolder: string, parameters: Float32Array): Promise<Candidate> {
    const { arch, base } = await loadModelFolder(modelFolder);
    const network = async (target: TrainTarget): Promise<Network> =>
      new Network(
        new Weights(await Arena.load(KERNELS), arch, base, LAYOUT.paddedRank),
        target,
        ROWS,
      );
    const lora = await network({ kind: "lora", largest: LAYOUT });
    lora.linear.setAdapter(LAYOUT, parameters);
    return new Candidate({ lora, full: await network({ kind: "full" }) });
  }

  /** Random data whose sampler was near the learner, so that both sides of the clip bounds occur. */
  data(mode: Mode): readonly EngineDatum[] {
    const sequences = randomSequences(TINY, LENGTHS, 3);
    const uniform = createUniform(4);
    return sequences.map((sequence) => ({
      ...sequence,
      weights: Float32Array.from(sequence.tokens, () => (uniform() < 0.2 ? 0 : 2 * uniform() - 1)),
      logprobs: this.#networks[mode]
        .forward([sequence])
        .map((logprob) => logprob + 0.8 * (uniform() - 0.5)),
      ratioMask: Float32Array.from(sequence.tokens, (_, i) => (i > 0 && uniform() < 0.3 ? 0 : 1)),
    }));
  }

  /** The data that the program sends for `data` with a correction; a datum without any weight is not sent. */
  corrected(
    mode: Mode,
    data: readonly EngineDatum[],
    { name, low, high }: Correction,
  ): readonly EngineDatum[] {
    const trainer = data.map((datum) => this.#networks[mode].forward([datum]).slice());
    const bounds = name === "tis" ? { ratio_high: high } : { ratio_low: low, ratio_high: high };
    const { data: weighed } = correctOffPolicy(data.map(trainingDatum), trainer, {
      off_policy_correction: name,
      off_policy_correction_config: bounds,
      // As in dro: nothing is left out for an advantage of 0.
      loss_fn: "dro",
    });
    const sent = weighed.filter((datum) => !isMasked(datum));
    return sent.map(({ rollout, advantages, logprobs, oldLogprobs = logprobs }) => {
      const datum = data[rollout];
      if (datum === undefined) throw new Error(`there is no datum ${rollout}`);
      return { ...datum, weights: advantages, logprobs: oldLogprobs };
    });
  }

  result(mode: Mode, spec: LossSpec, data: readonly EngineDatum[]): Result {
    const network = this.#networks[mode];
    const flat = network.forward(data);
    const coefficients = new Float32Array(flat.length);
    const logprobs: Float32Array[] = [];
    let [loss, start] = [0, 0];
    for (const datum of data) {
      const own = flat.slice(start, start + datum.tokens.length);
      const evaluated = evaluateLoss(spec, datum, own);
      coefficients.set(evaluated.coefficients, start);
      loss += evaluated.loss;
      logprobs.push(own);
      start += own.length;
    }
    network.linear.clearGradient();
    network.backward(coefficients);
    const gradient = network.linear.gradient();
    return {
      loss,
      logprobs,
      gradients: mode === "lora" ? loraTensors(gradient) : baseTensors(gradient),
    };
  }
}

function loraTensors(gradient: Float32Array): ReadonlyMap<string, Float32Array> {
  const { tensors } = decodeSafetensors(encodeAdapter(MODEL, contents(gradient)));
  return new Map(Array.from(tensors, ([name, { data }]) => [name, data]));
}

function baseTensors(gradient: Float32Array): ReadonlyMap<string, Float32Array> {
  return new Map(
    baseLayout(TINY).all.map(({ name, offset, rows, columns }) => {
      const data = gradient.slice(offset, offset + rows * columns);
      const isProjection = name.includes("_proj.");
      return [name, isProjection ? transposedInto({ shape: [rows, columns], data }, rows) : data];
    }),
  );
}

/** A sequence in which `ratioMask` marks the sampled tokens; `rollout` is its index. */
function trainingDatum(datum: EngineDatum, rollout: number): TrainingDatum {
  const { tokens, targets, weights, logprobs, ratioMask } = datum;
  const mask = Uint8Array.from(ratioMask ?? []);
  return {
    group: 0,
    rollout,
    stream: 0,
    ledger: new Ledger([]),
    tokens,
    targets,
    mask,
    advantages: weights.map((weight, i) => weight * (mask[i] ?? 0)),
    logprobs: logprobs ?? new Float32Array(),
  };
}

type WireDatum = Readonly<Record<string, readonly number[]>>;

/** Inputs that a loss does not read are zeros. */
function wireDatum(datum: EngineDatum, loss: LossSpec): WireDatum {
  const zeros = Array.from(datum.tokens, () => 0);
  return {
    tokens: Array.from(datum.tokens),
    targets: Array.from(datum.targets),
    weights: Array.from(datum.weights),
    logprobs: Array.from(datum.logprobs ?? zeros),
    ratio_mask: Array.from(datum.ratioMask ?? zeros),
    example: zeros,
    clip_low: Array.from(datum.tokens, () => loss.clipLow),
    clip_high: Array.from(datum.tokens, () => loss.clipHigh),
  };
}

describe.skipIf(python === null)("the engine agrees with automatic differentiation", () => {
  let folder: string;
  let model: string;
  let candidate: Candidate;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "oracle-"));
    model = join(folder, "model");
    await mkdir(model);
    await writeTinyModel(model);
    const parameters = adapter();
    const adapterFile = join(folder, "adapter.safetensors");
    await writeFile(adapterFile, encodeAdapter(MODEL, contents(parameters)));
    candidate = await Candidate.create(model, parameters);
    const cases = CASES.map(({ mode, loss, name, correction, mean }) => ({
      mode,
      correction,
      adapter: mode === "lora" ? adapterFile : null,
      loss: { name: mean ?? loss.name, beta: loss.beta },
      out: join(folder, name),
      data:
        mean === undefined
          ? candidate.data(mode).map((datum) => wireDatum(datum, loss))
          : markedExamples(loss),
    }));
    const request = join(folder, "request.json");
    await writeFile(request, JSON.stringify({ model, cases }));
    await promisify(execFile)(python ?? "", [ORACLE, request], {
      env: { ...process.env, JAX_PLATFORMS: "cpu" },
    });
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  it.each(CASES)("on $name", async ({ mode, loss, name, correction, mean }) => {
    const { tensors } = decodeSafetensors(await readFile(join(folder, name)));
    const expected = (tensor: string): Float32Array => {
      const found = tensors.get(tensor);
      if (found === undefined) throw new Error(`the oracle gave no ${tensor}`);
      return found.data;
    };
    const data = mean === undefined ? candidate.data(mode) : sentExamples(mean);
    const sent = correction === null ? data : candidate.corrected(mode, data, correction);
    const result = candidate.result(mode, loss, sent);
    const [total = Number.NaN] = expected("loss");
    expect(Math.abs(result.loss - total) / Math.abs(total)).toBeLessThan(GRADIENT_LIMIT);
    for (const [i, logprobs] of result.logprobs.entries()) {
      const position = data.findIndex(({ tokens }) => tokens === sent[i]?.tokens);
      const own = expected(`logprobs.${position}`);
      expect(largestDifference(logprobs, own)).toBeLessThan(LOGPROB_LIMIT);
    }
    expect(result.gradients.size).toBe(
      Array.from(tensors.keys()).filter((each) => each.startsWith("grad.")).length,
    );
    for (const [tensor, gradient] of result.gradients) {
      expect(relativeError(gradient, expected(`grad.${tensor}`)), tensor).toBeLessThan(
        GRADIENT_LIMIT,
      );
    }
  });
});

function largestDifference(actual: Float32Array, expected: Float32Array): number {
  expect(actual.length).toBe(expected.length);
  return actual.reduce(
    (largest, value, i) => Math.max(largest, Math.abs(value - (expected[i] ?? Number.NaN))),
    0,
  );
}

/** Norm of the difference divided by the norm of the expected value. */
function relativeError(actual: Float32Array, expected: Float32Array): number {
  expect(actual.length).toBe(expected.length);
  const difference = Math.hypot(...actual.map((value, i) => value - (expected[i] ?? Number.NaN)));
  return difference / Math.hypot(...expected);
}
