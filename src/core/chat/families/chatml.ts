/** ChatML models that call tools in the Hermes way and do not think: the embedded model, Qwen2.5 and their like. */

import { jsonCalls } from "../parsing/toolCalls.ts";
import type { TemplateFamily } from "../template/templateFamily.ts";

export const chatml: TemplateFamily = {
  id: "chatml",
  thinking: null,
  calls: jsonCalls({ open: "<tool_call>", close: "</tool_call>" }),
};
