/**
 * Models that Tinker trains or has trained, from public pages: the model list and the deprecations page of Tinker's
 * documentation, and `model_info.py`, `hyperparam_utils.py` and `eval/benchmarks/_types.py` of tinker-cookbook 0.6.1.
 */

import type { FormatName } from "./formats.ts";

/** Date of the service's list on which the table is based. */
export const LINE_UP_DATE = "2026-08-19";
/** Date of the cookbook that lists additional models. */
export const COOKBOOK_DATE = "2026-11";
/** Day on which Tinker retired many models. */
export const RETIREMENT_DAY = "2026-06-12";

export type ListedRow = readonly [
  /** With the variant if the service has the model under no plain name. */
  name: string,
  /** Null if the format is not public. */
  format: FormatName | null,
  /** Total parameters, and active parameters per token. */
  size: string,
  /** Context lengths in units of 1024 tokens, ascending; empty if not published. */
  contexts: readonly number[],
  input: "text" | "images",
  hiddenSize: number,
];

/** On the list of `LINE_UP_DATE`. */
export const LISTED: readonly ListedRow[] = [
  ["Qwen/Qwen3-8B", "qwen3", "8B", [32], "text", 4096],
  ["Qwen/Qwen3.5-4B", "qwen3.5", "4B", [64], "images", 2560],
  ["Qwen/Qwen3.5-9B", "qwen3.5", "9B", [64], "images", 4096],
  ["Qwen/Qwen3.5-397B-A17B", "qwen3.5", "397B-A17B", [64, 256], "images", 4096],
  ["Qwen/Qwen3.6-27B", "qwen3.6", "27B", [64], "images", 5120],
  ["Qwen/Qwen3.6-35B-A3B", "qwen3.6", "35B-A3B", [64, 256], "images", 2048],
  ["Qwen/Qwen3.8-27B", "qwen3.8", "27B", [64, 256], "images", 5120],
  ["openai/gpt-oss-20b", "gpt-oss", "21B-A3.6B", [32], "text", 2880],
  ["openai/gpt-oss-120b", "gpt-oss", "117B-A5.1B", [32, 128], "text", 2880],
  ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron3-nano", "30B-A3B", [64], "text", 2688],
  [
    "nvidia/NVIDIA-Nemotron-3-Super-120B-A12B-BF16",
    "nemotron3-super",
    "120B-A12B",
    [64, 256],
    "text",
    4096,
  ],
  [
    "nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16",
    "nemotron3-ultra",
    "550B-A55B",
    [64, 256],
    "text",
    8192,
  ],
  [
    "nvidia/NVIDIA-Nemotron-3.5-Lightning-30B-A3B-BF16",
    "nemotron3.5-lightning",
    "30B-A3B",
    [64, 256],
    "text",
    2688,
  ],
  ["deepseek-ai/DeepSeek-V3.1", "deepseek-v3.1", "671B-A37B", [32], "text", 7168],
  ["moonshotai/Kimi-K2.6", "kimi-k2.6", "1T-A32B", [32, 128], "images", 7168],
  ["thinkingmachines/Inkling-Small", "inkling", "276B-A12B", [64, 256], "images", 4096],
  ["thinkingmachines/Inkling", "inkling", "975B-A41B", [64, 256], "images", 6144],
  ["Qwen/Qwen3.5-9B-Base", "base", "9B", [64], "images", 4096],
  ["Qwen/Qwen3.5-35B-A3B-Base", "base", "35B-A3B", [64], "images", 2048],
];

/** In the cookbook of `COOKBOOK_DATE`, but not on the earlier list. */
export const NAMED_LATER: readonly ListedRow[] = [
  [
    "nvidia/NVIDIA-Nemotron-3.5-Super-VL-120B-A12B-BF16",
    "nemotron3-ultra",
    "120B-A12B",
    [64, 256],
    "images",
    4096,
  ],
  [
    "deepseek-ai/DeepSeek-V4.1-Flash:peft:262144",
    "deepseek-v4.1",
    "552B-A16B",
    [256],
    "text",
    5120,
  ],
  [
    "deepseek-ai/DeepSeek-V4.1-Flash-1017:peft:262144",
    "deepseek-v4.1",
    "552B-A16B",
    [256],
    "text",
    5120,
  ],
  ["zai-org/GLM-5.3-Flash:peft:262144", "glm-5.3-flash", "320B-A18B", [256], "text", 4096],
  ["zai-org/GLM-5.3:peft:262144", "glm-5.3", "744B-A40B", [256], "text", 6144],
  ["thinkingmachines/Inkling-2-Small", null, "594B-A17B", [64, 256], "images", 4608],
  ["moonshotai/Kimi-K3.1-Pro", null, "2.8T-A104B", [], "images", 7168],
];

export type RetiredRow = readonly [
  name: string,
  format: FormatName,
  size: string,
  input: "text" | "images",
  hiddenSize: number,
  /** A listed model of the same kind and similar size. */
  instead: string,
];

/** Retired on `RETIREMENT_DAY`, with the replacement from Tinker's deprecations page. */
export const REPLACED: readonly RetiredRow[] = [
  ["Qwen/Qwen3.5-27B", "qwen3.5", "27B", "images", 5120, "Qwen/Qwen3.6-27B"],
  ["Qwen/Qwen3.5-35B-A3B", "qwen3.5", "35B-A3B", "images", 2048, "Qwen/Qwen3.6-35B-A3B"],
  ["Qwen/Qwen3-30B-A3B", "qwen3", "30B-A3B", "text", 2048, "Qwen/Qwen3.6-35B-A3B"],
  [
    "Qwen/Qwen3-30B-A3B-Instruct-2507",
    "qwen3-instruct",
    "30B-A3B",
    "text",
    2048,
    "Qwen/Qwen3.6-35B-A3B",
  ],
];

/** Retired on `RETIREMENT_DAY`. The page names no replacement, or no exact one. */
export const RETIRED: readonly RetiredRow[] = [
  ["Qwen/Qwen3-32B", "qwen3", "32B", "text", 5120, "Qwen/Qwen3.6-27B"],
  [
    "Qwen/Qwen3-VL-30B-A3B-Instruct",
    "qwen3-instruct",
    "30B-A3B",
    "images",
    2048,
    "Qwen/Qwen3.6-35B-A3B",
  ],
];

/** In the cookbook, but not on the list of `LINE_UP_DATE`. */
export const GONE: readonly RetiredRow[] = [
  ["Qwen/Qwen3-4B-Instruct-2507", "qwen3-instruct", "4B", "text", 2560, "Qwen/Qwen3.5-4B"],
  [
    "Qwen/Qwen3-235B-A22B-Instruct-2507",
    "qwen3-instruct",
    "235B-A22B",
    "text",
    4096,
    "Qwen/Qwen3.5-397B-A17B",
  ],
  [
    "Qwen/Qwen3-VL-235B-A22B-Instruct",
    "qwen3-instruct",
    "235B-A22B",
    "images",
    4096,
    "Qwen/Qwen3.5-397B-A17B",
  ],
  [
    "moonshotai/Kimi-K2-Thinking",
    "kimi-k2-thinking",
    "1T-A32B",
    "text",
    7168,
    "moonshotai/Kimi-K2.6",
  ],
  ["moonshotai/Kimi-K2.5", "kimi-k2.5", "1T-A32B", "images", 7168, "moonshotai/Kimi-K2.6"],
  ["meta-llama/Llama-3.1-8B-Instruct", "llama3", "8B", "text", 4096, "Qwen/Qwen3-8B"],
  ["meta-llama/Llama-3.3-70B-Instruct", "llama3", "70B", "text", 8192, "Qwen/Qwen3.6-27B"],
  ["Qwen/Qwen3-8B-Base", "base", "8B", "text", 4096, "Qwen/Qwen3.5-9B-Base"],
  ["Qwen/Qwen3-30B-A3B-Base", "base", "30B-A3B", "text", 2048, "Qwen/Qwen3.5-35B-A3B-Base"],
  [
    "deepseek-ai/DeepSeek-V3.1-Base",
    "base",
    "671B-A37B",
    "text",
    7168,
    "Qwen/Qwen3.5-35B-A3B-Base",
  ],
  ["meta-llama/Llama-3.2-1B", "base", "1B", "text", 2048, "Qwen/Qwen3.5-9B-Base"],
  ["meta-llama/Llama-3.2-3B", "base", "3B", "text", 3072, "Qwen/Qwen3.5-9B-Base"],
  ["meta-llama/Llama-3.1-8B", "base", "8B", "text", 4096, "Qwen/Qwen3.5-9B-Base"],
  ["meta-llama/Llama-3.1-70B", "base", "70B", "text", 8192, "Qwen/Qwen3.5-35B-A3B-Base"],
];
