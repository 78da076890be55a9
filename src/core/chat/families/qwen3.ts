/** Qwen3 with JSON calls: the hybrid first release, the 2507 models and their vision variants. */

import { jsonCalls } from "../parsing/toolCalls.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";

export const qwen3: TemplateFamily = {
  id: "qwen3",
  endToken: "<|im_end|>",
  thinking: { open: "<think>", close: "</think>" },
  calls: jsonCalls({ open: "<tool_call>", close: "</tool_call>" }),
  resultRole: "tool",
};
