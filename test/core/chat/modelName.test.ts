import { expect, it } from "vitest";
import { tokenizerIdOf } from "../../../src/core/chat/modelName.ts";

it.each([
  ["Qwen/Qwen3-8B", "Qwen/Qwen3-8B"],
  ["Qwen/Qwen3-8B:peft", "Qwen/Qwen3-8B"],
  ["moonshotai/Kimi-K2/long-context", "moonshotai/Kimi-K2"],
  ["meta-llama/Llama-3.1-8B-Instruct", "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer"],
  ["meta-llama/Llama-2-7b", "meta-llama/Llama-2-7b"],
  ["gpt2", "gpt2"],
])("the tokenizer of %s is %s", (name, id) => {
  expect(tokenizerIdOf(name)).toBe(id);
});
