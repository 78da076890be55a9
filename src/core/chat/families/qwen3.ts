/** Qwen3 with JSON calls: the hybrid first release, the 2507 models and their vision variants. */

import type { ChatFamily } from "./family.ts";

export const qwen3: ChatFamily = {
  id: "qwen3",
  endToken: "<|im_end|>",
  thinking: { open: "<think>", close: "</think>" },
  calls: { open: "<tool_call>", close: "</tool_call>" },
  resultRole: "tool",
};
