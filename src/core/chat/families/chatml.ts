/** ChatML models that call tools in the Hermes way and do not think: the embedded model, Qwen2.5 and their like. */

import type { ChatFamily } from "./family.ts";

export const chatml: ChatFamily = {
  id: "chatml",
  endToken: "<|im_end|>",
  thinking: null,
  calls: { open: "<tool_call>", close: "</tool_call>" },
  resultRole: "tool",
};
