import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { needsBase } from "../../../src/core/weights/forms/formRequest.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { type FormOptions, openForm } from "../../../src/trainer/checkpoints/weightsForm.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();

function open(changes: Partial<FormOptions>): Promise<unknown> {
  return openForm(createFileSystem(), {
    form: "vllm",
    base: null,
    dropsUnembedding: false,
    baseModel: "org/model",
    programFolder: folder,
    ...changes,
  });
}

describe("a format of weights", () => {
  it("for servers requires a model with known tensor names", async () => {
    await expect(open({})).rejects.toThrow(/name the weights of org\/model.*form peft.*--base/);
    await expect(open({ baseModel: "Qwen/Qwen3-8B" })).resolves.toBeDefined();
  });

  it("with merged weights requires the base model's folder", async () => {
    const merged = { form: "merged", baseModel: "Qwen/Qwen3-8B" } as const;
    await expect(open(merged)).rejects.toThrow(/need the weights of Qwen\/Qwen3-8B.*--base/);
  });

  it.each(["Qwen/Qwen3-8B", "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "org/model"])(
    "of %s requires the base model's folder exactly when documented",
    async (baseModel) => {
      for (const form of ["vllm", "merged"] as const) {
        const isRefused = await open({ form, baseModel }).then(
          () => false,
          ({ message }: Error) => message.includes("--base"),
        );
        expect(needsBase(form, baseModel), form).toBe(isRefused);
      }
    },
  );

  it("with merged weights refuses a quantized base model before it reads the weights", async () => {
    const config = { model_type: "kimi_k2", quantization_config: { quant_method: "fp8" } };
    writeFileSync(join(folder, "config.json"), JSON.stringify(config));
    writeFileSync(join(folder, "model.safetensors"), "never read");
    await expect(open({ form: "merged", base: folder })).rejects.toThrow(/are quantized/);
  });

  it("accepts an index of as many tensors as quantized experts have", async () => {
    const names = Array.from({ length: 140_000 }, (_, i) => [
      `model.layers.${i}.w`,
      "a.safetensors",
    ]);
    const index = { weight_map: Object.fromEntries(names) };
    writeFileSync(join(folder, "config.json"), '{"model_type": "kimi_k2"}');
    writeFileSync(join(folder, "model.safetensors.index.json"), JSON.stringify(index));
    await expect(open({ base: folder })).rejects.toThrow(/lacks a.safetensors/);
  });

  it.each(["vllm", "merged"] as const)("%s names the problem of the folder", async (form) => {
    const failed = (): Promise<unknown> => open({ form, base: folder });
    await expect(failed()).rejects.toThrow(/no config.json/);
    writeFileSync(join(folder, "config.json"), '{"model_type": "qwen3"}');
    await expect(failed()).rejects.toThrow(/no safetensors/);
    writeFileSync(join(folder, "model.safetensors"), "version https://git-lfs.github.com");
    await expect(failed()).rejects.toMatchObject({ code: "safetensors-invalid" });
  });
});
