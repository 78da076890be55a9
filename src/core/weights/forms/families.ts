/**
 * Model families by how three parties name the same weights: Tinker in its adapters, the base model's files, and servers. Based
 * on the models' own checkpoints and the converters in tinker-cookbook 0.6.1, `tinker_cookbook/weights`.
 */

export interface Family {
  /** Names of an expert's three projections, which Tinker calls `w1`, `w2` and `w3`; null for one that the model lacks. */
  readonly experts: Readonly<Record<"w1" | "w2" | "w3", string | null>>;
  /** A projection of the base model that stacks the rows of projections that Tinker trains separately, in this order. */
  readonly fused: { readonly name: string; readonly parts: readonly string[] } | null;
  /** True if servers know only the fused projection. */
  readonly isServedFused: boolean;
  /** True if the columns of the experts' gate and up projections alternate. */
  readonly hasAlternatingExperts: boolean;
  /** Replacements in Tinker's names, applied in order. */
  readonly renames: readonly (readonly [from: RegExp, to: string])[];
  /** Replacements for the base model's own layer names, besides the prefix of a nested text model. */
  readonly baseRenames: readonly (readonly [from: RegExp, to: string])[];
  /** Name of the unembedding in the base model's files. */
  readonly head: string;
  /** Why servers cannot load an adapter, as a clause; null if they can. */
  readonly notServed: string | null;
}

const STANDARD: Family = {
  experts: { w1: "gate_proj", w2: "down_proj", w3: "up_proj" },
  fused: null,
  isServedFused: false,
  hasAlternatingExperts: false,
  renames: [],
  baseRenames: [],
  head: "lm_head",
  notServed: null,
};

const QWEN35: Family = {
  ...STANDARD,
  fused: { name: "in_proj_qkv", parts: ["in_proj_q", "in_proj_k", "in_proj_v"] },
};

const GPT_OSS: Family = {
  ...STANDARD,
  hasAlternatingExperts: true,
  renames: [[/\.attn\./, ".self_attn."]],
};

const NEMOTRON: Family = {
  ...STANDARD,
  experts: { w1: "up_proj", w2: "down_proj", w3: null },
  fused: { name: "in_proj", parts: ["gate_proj", "x_proj"] },
  isServedFused: true,
  baseRenames: [[/^model\.layers\./, "backbone.layers."]],
};

const KIMI: Family = {
  ...STANDARD,
  baseRenames: [[/^model\./, "language_model.model."]],
  head: "language_model.lm_head",
};

const DEEPSEEK: Family = {
  ...STANDARD,
  notServed: "vLLM and SGLang load no adapter for the architecture of DeepSeek-V3",
};

/** By `model_type` in the base model's `config.json`. */
const BY_TYPE: ReadonlyMap<string, Family> = new Map([
  ...["llama", "qwen2", "qwen3", "qwen3_moe", "qwen3_vl", "qwen3_vl_moe", "kimi_k2"].map(
    (type) => [type, STANDARD] as const,
  ),
  ["qwen3_5", QWEN35],
  ["qwen3_5_moe", QWEN35],
  ["gpt_oss", GPT_OSS],
  ["nemotron_h", NEMOTRON],
  ["kimi_k25", KIMI],
  ["deepseek_v3", DEEPSEEK],
]);

/** For models known only by name: the type, and whether the text model is nested in a larger one. */
const BY_NAME: readonly (readonly [name: RegExp, type: string, isWithin: boolean])[] = [
  [/^local\//, "llama", false],
  [/(^|\/)Llama-3\.[1-3]-/i, "llama", false],
  [/(^|\/)Qwen3-VL-/i, "qwen3_vl", true],
  [/(^|\/)Qwen3-/i, "qwen3", false],
  [/(^|\/)Qwen3\.[568]-/i, "qwen3_5", true],
  [/(^|\/)gpt-oss-/i, "gpt_oss", false],
  [/(^|\/)NVIDIA-Nemotron-3(\.5)?-(?!.*-VL-)/i, "nemotron_h", false],
  [/(^|\/)Kimi-K2\.[56]/i, "kimi_k25", false],
  [/(^|\/)Kimi-K2-/i, "kimi_k2", false],
  [/(^|\/)DeepSeek-V3\.1/i, "deepseek_v3", false],
];

/** Null for an unknown type. */
export function familyOfType(modelType: string): Family | null {
  return BY_TYPE.get(modelType) ?? null;
}

export interface NamedFamily {
  readonly family: Family;
  readonly isWithin: boolean;
}

/** Null for an unknown model name. */
export function familyOfName(modelName: string): NamedFamily | null {
  const [, type, isWithin] = BY_NAME.find(([name]) => name.test(modelName)) ?? [];
  const family = type === undefined ? null : familyOfType(type);
  return family === null ? null : { family, isWithin: isWithin ?? false };
}

/** Applies `renames` to a module name, in order. */
export function renamed(module: string, renames: Family["renames"]): string {
  return renames.reduce((name, [from, to]) => name.replace(from, to), module);
}

const WITHIN: Family["renames"] = [[/^model\./, "model.language_model."]];

/** A Tinker module's name in servers and, except for `baseRenames`, in the base model's files. */
export function plainName(module: string, { family, isWithin }: NamedFamily): string {
  return renamed(module, [...family.renames, ...(isWithin ? WITHIN : [])]);
}

export function isUnembedding(module: string): boolean {
  return /^(model\.)?(unembed_tokens|lm_head)$/.test(module);
}
