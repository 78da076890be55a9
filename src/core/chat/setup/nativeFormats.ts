/** The formats implemented in this program, by name; all others use the model's own template. */

import type { FormatName } from "../../models/formats.ts";
import { base, completion } from "../families/base.ts";
import { deepseekV31 } from "../families/deepseekV31.ts";
import { deepseekV41 } from "../families/deepseekV41.ts";
import { glm53, glm53Flash } from "../families/glm.ts";
import { gptOss } from "../families/harmony.ts";
import { inkling } from "../families/inkling.ts";
import { kimiK2, kimiK2Thinking, kimiK25, kimiK26 } from "../families/kimi.ts";
import { llama3 } from "../families/llama3.ts";
import {
  nemotron3Nano,
  nemotron3Super,
  nemotron3Ultra,
  nemotron35Lightning,
} from "../families/nemotron3.ts";
import { qwen35, qwen36, qwen38 } from "../families/qwen35.ts";
import type { ChatFormat, FormatOptions } from "../format.ts";

export const NATIVE_FORMATS: Partial<Record<FormatName, (options: FormatOptions) => ChatFormat>> = {
  "qwen3.5": qwen35,
  "qwen3.6": qwen36,
  "qwen3.8": qwen38,
  llama3,
  "kimi-k2": kimiK2,
  "kimi-k2-thinking": kimiK2Thinking,
  "kimi-k2.5": kimiK25,
  "kimi-k2.6": kimiK26,
  "glm-5.3": glm53,
  "glm-5.3-flash": glm53Flash,
  base,
  completion,
  "nemotron3-nano": nemotron3Nano,
  "nemotron3-super": nemotron3Super,
  "nemotron3-ultra": nemotron3Ultra,
  "nemotron3.5-lightning": nemotron35Lightning,
  "deepseek-v3.1": deepseekV31,
  "deepseek-v4.1": deepseekV41,
  "gpt-oss": gptOss,
  inkling,
};
