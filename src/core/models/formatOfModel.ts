/** Determines a model's chat format from its name. */

import { FORMATS, type FormatFacts, type FormatName } from "./formats.ts";
import { findLineUpModel, plainModelName } from "./lineUp.ts";

/** For models that are not in the table, such as fine-tuned models. The first matching pattern applies. */
const BY_NAME: readonly (readonly [pattern: RegExp, format: FormatName])[] = [
  [/^local\//, "chatml"],
  [/(^|\/)Qwen2\.5-/i, "qwen2.5"],
  [/-Base$/i, "base"],
  [/(^|\/)Qwen3-(?!Coder).*Instruct/i, "qwen3-instruct"],
  [/(^|\/)Qwen3-(?!Coder)/i, "qwen3"],
  [/(^|\/)Qwen3\.5-/i, "qwen3.5"],
  [/(^|\/)Qwen3\.6-/i, "qwen3.6"],
  [/(^|\/)Qwen3\.8-/i, "qwen3.8"],
  [/Nemotron-3-Nano-/i, "nemotron3-nano"],
  [/Nemotron-3-Super-/i, "nemotron3-super"],
  [/Nemotron-3-Ultra-|Nemotron-3\.5-Super-/i, "nemotron3-ultra"],
  [/Nemotron-3\.5-Lightning-/i, "nemotron3.5-lightning"],
  [/(^|\/)gpt-oss-/i, "gpt-oss"],
  [/(^|\/)DeepSeek-V3\.1$/i, "deepseek-v3.1"],
  [/(^|\/)DeepSeek-V4\.1-/i, "deepseek-v4.1"],
  [/(^|\/)Kimi-K2-Thinking/i, "kimi-k2-thinking"],
  [/(^|\/)Kimi-K2-Instruct/i, "kimi-k2"],
  [/(^|\/)Kimi-K2\.5/i, "kimi-k2.5"],
  [/(^|\/)Kimi-K2\.6/i, "kimi-k2.6"],
  [/^thinkingmachines\/Inkling(-Small)?$/i, "inkling"],
  [/(^|\/)GLM-5\.3-Flash/i, "glm-5.3-flash"],
  [/(^|\/)GLM-5\.3/i, "glm-5.3"],
  [/(^|\/)Llama-3\.[1-3]-.*Instruct/i, "llama3"],
  [/^meta-llama\/Llama-3\.[12]-\d+B$/i, "base"],
];

/** No model has a longer name, and the patterns take time quadratic in the name's length. */
const MAX_NAME = 200;

/** Null if the format is not known by name. Its template may show it. A `:variant` has the same format. */
export function formatOfModel(modelName: string): FormatName | null {
  return findLineUpModel(modelName)?.format ?? formatByPattern(plainModelName(modelName));
}

/** Format of models that are not in the table. */
export function formatByPattern(plainName: string): FormatName | null {
  if (plainName.length > MAX_NAME) return null;
  return BY_NAME.find(([pattern]) => pattern.test(plainName))?.[1] ?? null;
}

/** Features of a model's chat format; null if the format is not known by name. */
export function formatFactsOf(modelName: string): FormatFacts | null {
  const format = formatOfModel(modelName);
  return format === null ? null : FORMATS[format];
}
