/** Prepares training data for the wire: checks, element types, and splitting into chunks. */

import type { ImageFile } from "../../images/imageFile.ts";
import { indexOfNonFinite } from "../../util/stats.ts";
import { tinkerError } from "../transport/errors.ts";
import type { Provenance, WireDatum } from "./forwardBackwardProto.ts";
import { inputBytes, type TokenIds } from "./modelInput.ts";
import { vector } from "./tensors.ts";

type Numbers = readonly number[] | Int32Array | Float32Array;
type Floats = readonly number[] | Float32Array;

/**
 * Input tokens and per-token arrays of the same length. Entry i is about predicting the token after input i, so the caller does
 * the shifting: `docs/protocols/tinker.md#forward_backward`.
 */
export interface Datum {
  /** Token ids; negative ones refer to `images`, see `imageIds.ts`. */
  readonly tokens: TokenIds;
  /** The rollout's images; absent = none. */
  readonly images?: readonly ImageFile[] | undefined;
  /** `target_tokens`, and either `weights` or the inputs from {@link policyInputs}. */
  readonly lossInputs: Readonly<Record<string, Numbers>>;
  /** Only for `stable_reinforce`. */
  readonly provenance?: Provenance | undefined;
}

export interface ChunkLimits {
  readonly maxDatums: number;
  readonly maxBytes: number;
}

/** The inputs of each loss; servers reject additional ones: `docs/protocols/tinker.md#losses`. */
const lossInputNames: Readonly<Record<string, readonly string[]>> = {
  cross_entropy: ["target_tokens", "weights"],
  importance_sampling: ["target_tokens", "logprobs", "advantages"],
  ppo: ["target_tokens", "logprobs", "advantages"],
  cispo: ["target_tokens", "logprobs", "advantages"],
  dro: ["target_tokens", "logprobs", "advantages"],
  gspo: ["target_tokens", "logprobs", "advantages", "sequence_ratio_mask"],
  stable_reinforce: ["target_tokens", "logprobs", "advantages"],
};

/** The arrays for a policy loss, one entry per position. */
interface PolicyArrays {
  readonly targets: Numbers;
  readonly logprobs: Floats;
  readonly advantages: Floats;
  /** 1 where the target is trained on. */
  readonly mask: ArrayLike<number>;
}

/** Exactly the inputs that a policy loss reads. */
export function policyInputs(lossFn: string, arrays: PolicyArrays): Datum["lossInputs"] {
  const { targets, logprobs, advantages, mask } = arrays;
  const common = { target_tokens: targets, logprobs, advantages };
  return lossFn === "gspo" ? { ...common, sequence_ratio_mask: Float32Array.from(mask) } : common;
}

/**
 * Checks a batch; typed arrays are used without copying.
 * @throws AppError `tinker-invalid-input` that names datum and array: an empty batch, differing lengths, inputs that the loss
 * does not read, non-finite values, ids beyond int32, or a batch with only zero weights (except for `dro`, which also has a
 * penalty)
 */
export function toWireData(
  data: readonly Datum[],
  lossFn: string,
  options: { readonly forwardOnly: boolean },
): readonly WireDatum[] {
  if (data.length === 0) throw invalid("There is no datum to send");
  const wire = data.map((datum, index) => toWireDatum(datum, lossFn, `datum ${index}`));
  if (!options.forwardOnly && lossFn !== "dro" && !wire.some(hasEffect)) {
    throw invalid(`All ${data.length} datums have only zero weights or advantages`);
  }
  return wire;
}

/** Consecutive chunks within the server's limits; an oversized datum gets its own chunk: `docs/protocols/tinker.md#chunks`. */
export function chunkData(
  data: readonly WireDatum[],
  limits: ChunkLimits,
): readonly (readonly WireDatum[])[] {
  const chunks: WireDatum[][] = [];
  let bytes = 0;
  for (const datum of data) {
    const size = estimatedBytes(datum);
    const chunk = chunks.at(-1);
    if (chunk === undefined || chunk.length >= limits.maxDatums || bytes + size > limits.maxBytes) {
      chunks.push([datum]);
      bytes = size;
    } else {
      chunk.push(datum);
      bytes += size;
    }
  }
  return chunks;
}

function toWireDatum(datum: Datum, lossFn: string, where: string): WireDatum {
  const names = Object.keys(datum.lossInputs);
  const expected = lossInputNames[lossFn];
  if (expected && !(names.length === expected.length && expected.every((n) => names.includes(n)))) {
    throw invalid(
      `The loss ${lossFn} reads ${expected.join(", ")}, but ${where} has ${names.join(", ") || "none"}`,
    );
  }
  const length = datum.tokens.length;
  if (length === 0) throw invalid(`${where} has no tokens`);
  const lossInputs = names.map((name) => {
    const values = datum.lossInputs[name] ?? [];
    if (values.length !== length) {
      throw invalid(`${name} of ${where} has ${values.length} values for ${length} tokens`);
    }
    return [name, vector(toTyped(name, values, `${name} of ${where}`))] as const;
  });
  return {
    tokens: toIds(datum.tokens, `tokens of ${where}`),
    images: datum.images,
    lossInputs: Object.fromEntries(lossInputs),
    provenance: datum.provenance,
  };
}

/** Targets are integers; plain lists under other names are floats. */
function toTyped(name: string, values: Numbers, where: string): Int32Array | Float32Array {
  if (name === "target_tokens" || values instanceof Int32Array) return toIds(values, where);
  const floats = values instanceof Float32Array ? values : new Float32Array(values);
  const wrong = indexOfNonFinite(floats);
  if (wrong >= 0) throw invalid(`${where} is ${values[wrong]} at position ${wrong}`);
  return floats;
}

function toIds(values: Numbers, where: string): Int32Array {
  if (values instanceof Int32Array) return values;
  const ids = new Int32Array(values);
  const wrong = ids.findIndex((id, index) => id !== values[index]);
  if (wrong >= 0) throw invalid(`${where} is ${values[wrong]} at position ${wrong}, not an id`);
  return ids;
}

function hasEffect({ lossInputs }: WireDatum): boolean {
  const weights = lossInputs["weights"] ?? lossInputs["advantages"];
  return weights === undefined || weights.values.some((value) => value !== 0);
}

function estimatedBytes({ tokens, images = [], lossInputs }: WireDatum): number {
  const perElement = (values: Int32Array | Float32Array) => (values instanceof Int32Array ? 8 : 4);
  return Object.values(lossInputs).reduce(
    (sum, { values }) => sum + values.length * perElement(values),
    inputBytes(tokens, images),
  );
}

function invalid(problem: string) {
  return tinkerError("tinker-invalid-input", problem);
}
