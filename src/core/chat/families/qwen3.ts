/** Qwen3 with JSON calls: the hybrid first release and the thinking models, then the instruct models, vision variants included. */

import { jsonCalls } from "../parsing/toolCalls.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";

export const qwen3: TemplateFamily = {
  id: "qwen3",
  thinking: { open: "<think>", close: "</think>" },
  calls: jsonCalls({ open: "<tool_call>", close: "</tool_call>" }),
};

/** Does not reason, and its template drops reasoning that a given conversation holds. */
export const qwen3Instruct: TemplateFamily = { ...qwen3, thinking: null };
