/** How the makers of models advise to sample from them in plain use, where their cards say so for all models of a format. */

import type { FormatName } from "./formats.ts";

/** Sources: the models' cards and their `generation_config.json` on the model hub. */
const ADVICE: Partial<Readonly<Record<FormatName, string>>> = {
  qwen3: "temperature 0.6 and top_p 0.95 with thinking, 0.7 and 0.8 without",
  "qwen3-instruct": "temperature 0.7 and top_p 0.8",
  "gpt-oss": "temperature 1 and top_p 1",
  "deepseek-v3.1": "temperature 0.6 and top_p 0.95",
  "kimi-k2-thinking": "temperature 1",
  llama3: "temperature 0.6 and top_p 0.9",
  inkling: "temperature 1",
};

/** In words; null where the cards say nothing for certain. */
export function cardSampling(format: FormatName): string | null {
  return ADVICE[format] ?? null;
}
