/** The chat of a run with Qwen3, with the model's own tokenizer. */

import { createRenderer } from "../../../src/core/chat/setup/createRenderer.ts";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { qwen3Model } from "../../node/tokenizer/qwen3Model.ts";

export function qwen3Chat(
  enabled: boolean,
  retention: Config["thinking"]["retention"] = "all",
  chat_format: Config["chat_format"] = "auto",
) {
  const thinking = { enabled, effort: null, retention };
  const own = { model_name: "Qwen/Qwen3-8B", system_prompt_template: null };
  const config = { ...own, chat_format, thinking };
  const setup = createRenderer({ date: "2026-01-02", model: qwen3Model, config });
  return { ...setup, tokenizer: qwen3Model.tokenizer };
}
