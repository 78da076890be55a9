/** Validates a batch for its loss and converts it for the engine: `docs/protocols/tinker.md#losses`. */

import type { LossConfig, WireDatum } from "../../../../core/tinker/wire/forwardBackwardProto.ts";
import type { WireTensor } from "../../../../core/tinker/wire/tensors.ts";
import type { EngineDatum, EngineLoss, EngineModel, LossSpec } from "../../engine.ts";
import { userFault } from "../http/faults.ts";

export interface Batch {
  readonly data: readonly WireDatum[];
  readonly lossFn: string;
  readonly lossConfig: LossConfig;
}

export interface CheckedBatch {
  readonly data: readonly EngineDatum[];
  readonly loss: LossSpec;
}

interface LossRules {
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** Defaults of the config keys; null = required. */
  readonly config: Readonly<Record<string, number | null>>;
}

const RL_INPUTS = ["target_tokens", "logprobs", "advantages"];
const CLIP_INPUTS = ["clip_low_threshold", "clip_high_threshold"];

const RULES: Readonly<Record<EngineLoss, LossRules>> = {
  cross_entropy: { required: ["target_tokens", "weights"], optional: [], config: {} },
  importance_sampling: { required: RL_INPUTS, optional: [], config: {} },
  ppo: {
    required: RL_INPUTS,
    optional: CLIP_INPUTS,
    config: { clip_low_threshold: 0.8, clip_high_threshold: 1.2 },
  },
  cispo: {
    required: RL_INPUTS,
    optional: CLIP_INPUTS,
    config: { clip_low_threshold: 0, clip_high_threshold: 4 },
  },
  dro: { required: RL_INPUTS, optional: [], config: { beta: null } },
  gspo: {
    required: [...RL_INPUTS, "sequence_ratio_mask"],
    optional: [],
    config: { clip_low_threshold: null, clip_high_threshold: null },
  },
};

/** @throws AppError `invalid-request` naming the datum and the problem */
export function checkBatch(batch: Batch, model: EngineModel): CheckedBatch {
  if (!isLossName(batch.lossFn)) {
    throw userFault(
      `The loss ${batch.lossFn} is not supported; choose one of ${Object.keys(RULES).join(", ")}.`,
    );
  }
  const rules = RULES[batch.lossFn];
  if (batch.data.length === 0) throw userFault("The batch has no datums; send at least one.");
  return {
    loss: readLoss(batch.lossFn, rules, batch.lossConfig),
    data: batch.data.map((datum, index) => readDatum(datum, rules, model, `Datum ${index}`)),
  };
}

function isLossName(name: string): name is EngineLoss {
  return Object.hasOwn(RULES, name);
}

function readLoss(name: EngineLoss, rules: LossRules, config: LossConfig): LossSpec {
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(rules.config, key)) {
      const known = Object.keys(rules.config).join(", ") || "none";
      throw userFault(`The loss ${name} has no config key ${key}; it has ${known}.`);
    }
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw userFault(`The config key ${key} of ${name} must be a finite number, not ${value}.`);
    }
  }
  const value = (key: string): number => {
    const given = config[key] ?? rules.config[key];
    if (given === null) throw userFault(`The loss ${name} needs ${key} in loss_fn_config.`);
    return Number(given ?? 0);
  };
  const spec = {
    name,
    clipLow: value("clip_low_threshold"),
    clipHigh: value("clip_high_threshold"),
    beta: value("beta"),
  };
  if (spec.clipLow > spec.clipHigh) {
    throw userFault(
      `clip_low_threshold ${spec.clipLow} exceeds clip_high_threshold ${spec.clipHigh}.`,
    );
  }
  return spec;
}

function readDatum(
  datum: WireDatum,
  rules: LossRules,
  model: EngineModel,
  where: string,
): EngineDatum {
  const { tokens, lossInputs } = datum;
  checkNames(lossInputs, rules, where);
  if (tokens.length === 0) throw userFault(`${where} has no tokens.`);
  if (tokens.length > model.maxContext) {
    throw userFault(
      `${where} has ${tokens.length} tokens; the context of ${model.name} holds ${model.maxContext}.`,
    );
  }
  checkIds(tokens, model, `${where}: model_input`);
  const targets = lossInputs["target_tokens"];
  const read = (name: string) => readFloats(lossInputs[name], tokens.length, `${where}: ${name}`);
  const optional = (name: string) => (name in lossInputs ? read(name) : undefined);
  const isWeighted = rules.required.includes("weights");
  const clipLow = optional("clip_low_threshold");
  const clipHigh = optional("clip_high_threshold");
  const ratioMask = optional("sequence_ratio_mask");
  if (ratioMask?.every((marked) => marked === 0) === true) {
    throw userFault(`${where}: sequence_ratio_mask marks no token.`);
  }
  return {
    tokens,
    targets: readTargets(targets, tokens.length, model, `${where}: target_tokens`),
    weights: read(isWeighted ? "weights" : "advantages"),
    logprobs: isWeighted ? null : read("logprobs"),
    clipLow,
    clipHigh,
    ratioMask,
  };
}

function checkNames(lossInputs: WireDatum["lossInputs"], rules: LossRules, where: string): void {
  for (const name of rules.required) {
    if (!Object.hasOwn(lossInputs, name)) throw userFault(`${where} lacks the input ${name}.`);
  }
  for (const name of Object.keys(lossInputs)) {
    if (!rules.required.includes(name) && !rules.optional.includes(name)) {
      throw userFault(
        `${where} has the input ${name}, which this loss does not take; it takes ${rules.required.join(", ")}.`,
      );
    }
  }
}

function readTargets(
  tensor: WireTensor | undefined,
  length: number,
  model: EngineModel,
  where: string,
): Int32Array {
  const values = checkedVector(tensor, length, where);
  const targets = Int32Array.from(values);
  if (values.some((value, i) => value !== targets[i])) {
    throw userFault(`${where} has a value that is not an integer.`);
  }
  checkIds(targets, model, where);
  return targets;
}

function readFloats(tensor: WireTensor | undefined, length: number, where: string): Float32Array {
  const values = checkedVector(tensor, length, where);
  const position = values.findIndex((value) => !Number.isFinite(value));
  if (position >= 0) {
    throw userFault(
      `NonFiniteInTensor: ${where} holds ${values[position]} at position ${position}.`,
    );
  }
  return values instanceof Float32Array ? values : Float32Array.from(values);
}

function checkedVector(
  tensor: WireTensor | undefined,
  length: number,
  where: string,
): WireTensor["values"] {
  if (tensor === undefined || tensor.shape.length > 1) {
    throw userFault(`${where}: tensors of more than one axis are not supported.`);
  }
  if (tensor.values.length !== length) {
    throw userFault(
      `${where} has ${tensor.values.length} entries for ${length} input tokens; every array has one per token.`,
    );
  }
  return tensor.values;
}

/** @throws AppError `invalid-request` for an id outside of the vocabulary */
export function checkIds(ids: Int32Array, model: EngineModel, where: string): void {
  const position = ids.findIndex((id) => id < 0 || id >= model.vocabSize);
  if (position < 0) return;
  throw userFault(
    `${where} holds the token ${ids[position]} at position ${position}; the ids of ${model.name} go from 0 to ${model.vocabSize - 1}.`,
  );
}
