/** An adapter as a safetensors file with PEFT names and orientation, optionally with optimizer state. */

import { AppError, isAppError } from "../../core/errors.ts";
import { newOptimizerState, type OptimizerState } from "./adam.ts";
import {
  type AdapterLayout,
  type Architecture,
  adapterLayout,
  MAX_RANK,
  PROJECTIONS,
  type TensorSpan,
} from "./architecture.ts";
import type { TrainedProjections } from "./engine.ts";
import {
  decodeSafetensors,
  encodeSafetensors,
  type Safetensors,
  type Tensor,
} from "./safetensors.ts";

export interface AdapterContents extends TrainedProjections {
  readonly layout: AdapterLayout;
  readonly parameters: Float32Array;
  readonly optimizer: OptimizerState | null;
}

const MOMENTS = [
  ["optim.m.", "m"],
  ["optim.v.", "v"],
] as const;

export function encodeAdapter(model: string, contents: AdapterContents): Uint8Array {
  const { layout, parameters, optimizer } = contents;
  const tensors = new Map<string, Tensor>();
  for (const span of spans(layout)) tensors.set(span.name, extract(layout, span, parameters));
  const metadata: Record<string, string> = {
    format: "pt",
    base_model: model,
    rank: String(layout.rank),
    train_attn: String(contents.trainAttn),
    train_mlp: String(contents.trainMlp),
  };
  if (optimizer !== null) {
    metadata["optimizer_steps"] = String(optimizer.steps);
    for (const [prefix, moment] of MOMENTS) {
      for (const span of spans(layout)) {
        tensors.set(prefix + span.name, extract(layout, span, optimizer[moment]));
      }
    }
  }
  return encodeSafetensors({ tensors, metadata }, "F32");
}

/** The adapter without its optimizer state, for use elsewhere. @throws AppError `safetensors-invalid` */
export function withoutOptimizer(bytes: Uint8Array): Uint8Array {
  const { tensors, metadata } = decodeSafetensors(bytes);
  const isOfOptimizer = (name: string): boolean =>
    MOMENTS.some(([prefix]) => name.startsWith(prefix));
  const { optimizer_steps: _, ...kept } = metadata;
  const weights = [...tensors].filter(([name]) => !isOfOptimizer(name));
  return encodeSafetensors({ tensors: new Map(weights), metadata: kept }, "F32");
}

/** @throws AppError `checkpoint-invalid` if the file is not an adapter of `model` */
export function decodeAdapter(
  bytes: Uint8Array,
  model: string,
  arch: Architecture,
  withOptimizer: boolean,
): AdapterContents {
  const file = readFile(bytes);
  const { metadata } = file;
  if (metadata["base_model"] !== model) {
    throw invalid(`it belongs to ${metadata["base_model"] ?? "an unknown model"}, not to ${model}`);
  }
  const rank = Number(metadata["rank"]);
  if (!Number.isInteger(rank) || rank < 1 || rank > MAX_RANK) {
    throw invalid(`its rank is not a whole number from 1 to ${MAX_RANK}`);
  }
  const layout = adapterLayout(arch, rank);
  const parameters = new Float32Array(layout.length);
  fill(file, layout, "", parameters);
  return {
    layout,
    parameters,
    optimizer: withOptimizer ? readOptimizer(file, layout) : null,
    trainAttn: metadata["train_attn"] !== "false",
    trainMlp: metadata["train_mlp"] !== "false",
  };
}

function readFile(bytes: Uint8Array): Safetensors {
  try {
    return decodeSafetensors(bytes);
  } catch (cause) {
    if (isAppError(cause, "safetensors-invalid")) throw invalid(cause.message);
    throw cause;
  }
}

function readOptimizer(file: Safetensors, layout: AdapterLayout): OptimizerState {
  const steps = Number(file.metadata["optimizer_steps"]);
  if (!Number.isInteger(steps)) throw invalid("it has no optimizer state");
  const state = newOptimizerState(layout.length);
  state.steps = steps;
  for (const [prefix, moment] of MOMENTS) fill(file, layout, prefix, state[moment]);
  return state;
}

function fill(
  file: Safetensors,
  layout: AdapterLayout,
  prefix: string,
  target: Float32Array,
): void {
  for (const span of spans(layout)) {
    const tensor = file.tensors.get(prefix + span.name);
    if (tensor === undefined) throw invalid(`it lacks ${prefix}${span.name}`);
    insert(layout, span, tensor, target);
  }
}

function invalid(why: string): AppError {
  return new AppError("checkpoint-invalid", `The checkpoint cannot be loaded: ${why}.`);
}

function* spans(layout: AdapterLayout): Generator<TensorSpan> {
  for (const layer of layout.layers) {
    for (const projection of PROJECTIONS) {
      yield layer[projection].a;
      yield layer[projection].b;
    }
  }
}

/** Rows and columns without the rank padding. */
function trueShape(layout: AdapterLayout, span: TensorSpan): readonly [number, number] {
  const isA = span.name.endsWith("lora_A.weight");
  return isA ? [span.rows, layout.rank] : [layout.rank, span.columns];
}

/** Files store [output, input], memory stores [input, output]. */
function extract(layout: AdapterLayout, span: TensorSpan, flat: Float32Array): Tensor {
  const [rows, columns] = trueShape(layout, span);
  const data = new Float32Array(rows * columns);
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      data[j * rows + i] = flat[span.offset + i * span.columns + j] ?? 0;
    }
  }
  return { shape: [columns, rows], data };
}

function insert(layout: AdapterLayout, span: TensorSpan, tensor: Tensor, flat: Float32Array): void {
  const [rows, columns] = trueShape(layout, span);
  if (tensor.shape[0] !== columns || tensor.shape[1] !== rows) {
    throw invalid(
      `${span.name} has shape [${tensor.shape.join(", ")}], expected [${columns}, ${rows}]`,
    );
  }
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      flat[span.offset + i * span.columns + j] = tensor.data[j * rows + i] ?? 0;
    }
  }
}
