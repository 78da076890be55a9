import { expect, it } from "vitest";
import { tokenizerNameOf } from "../../../src/core/chat/modelName.ts";

it.each([
  ["Qwen/Qwen3-8B", "Qwen/Qwen3-8B"],
  ["Qwen/Qwen3-8B:peft", "Qwen/Qwen3-8B"],
  ["moonshotai/Kimi-K2/long-context", "moonshotai/Kimi-K2"],
  ["meta-llama/Llama-3.1-8B-Instruct", "thinkingmachineslabinc/meta-llama-3-instruct-tokenizer"],
  ["meta-llama/Llama-2-7b", "meta-llama/Llama-2-7b"],
  ["gpt2", "gpt2"],
])("the tokenizer of %s is %s", (model_name, id) => {
  expect(tokenizerNameOf({ model_name, tokenizer_name: null })).toBe(id);
});

it.each(["meta-llama/Llama-3.1-8B-Instruct", "./my:folder", "org/model"])(
  "a configured tokenizer such as %s is used as is",
  (tokenizer_name) => {
    expect(tokenizerNameOf({ model_name: "Qwen/Qwen3-8B", tokenizer_name })).toBe(tokenizer_name);
  },
);
