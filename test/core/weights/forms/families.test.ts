import { expect, it } from "vitest";
import { LINE_UP } from "../../../../src/core/models/lineUp.ts";
import { familyOfName, familyOfType } from "../../../../src/core/weights/forms/families.ts";

it.each([
  ["Qwen/Qwen3-8B", "qwen3", false],
  ["Qwen/Qwen3-VL-30B-A3B-Instruct", "qwen3_vl_moe", true],
  ["Qwen/Qwen3.5-397B-A17B", "qwen3_5_moe", true],
  ["Qwen/Qwen3.8-27B", "qwen3_5", true],
  ["openai/gpt-oss-120b", "gpt_oss", false],
  ["nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron_h", false],
  ["moonshotai/Kimi-K2-Thinking", "kimi_k2", false],
  ["moonshotai/Kimi-K2.6", "kimi_k25", false],
  ["deepseek-ai/DeepSeek-V3.1-Base", "deepseek_v3", false],
  ["meta-llama/Llama-3.1-8B-Instruct", "llama", false],
  ["local/tiny-tool", "llama", false],
])("recognizes %s by its name and by its type %s", (name, type, isWithin) => {
  expect(familyOfName(name)).toEqual({ family: familyOfType(type), isWithin });
});

it("recognizes no model without a known conversion", () => {
  const unknown = LINE_UP.map(({ name }) => name).filter((name) => familyOfName(name) === null);
  expect(unknown).toEqual([
    "thinkingmachines/Inkling-Small",
    "thinkingmachines/Inkling",
    "nvidia/NVIDIA-Nemotron-3.5-Super-VL-120B-A12B-BF16",
    "deepseek-ai/DeepSeek-V4.1-Flash:peft:262144",
    "deepseek-ai/DeepSeek-V4.1-Flash-1017:peft:262144",
    "zai-org/GLM-5.3-Flash:peft:262144",
    "zai-org/GLM-5.3:peft:262144",
    "thinkingmachines/Inkling-2-Small",
    "moonshotai/Kimi-K3.1-Pro",
  ]);
});
