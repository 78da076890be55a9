/** Compares adapters for servers with tinker-cookbook's converter: same tensors, same configuration. */

import { describe, expect, it } from "vitest";
import { readBaseFolder } from "../../../../src/core/weights/forms/baseFolder.ts";
import { readLoraAdapter } from "../../../../src/core/weights/forms/loraAdapter.ts";
import {
  requireServed,
  type ServedAdapter,
  type ServedOptions,
  writeServedAdapter,
} from "../../../../src/core/weights/forms/servedAdapter.ts";
import type { MemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";
import {
  diskOf,
  FAMILIES,
  type FamilyVectors,
  tensorsIn,
  type VectorTensors,
  vectorsOf,
} from "./cookbookForms.ts";

async function serve(
  vectors: FamilyVectors,
  changes: Partial<ServedOptions> = {},
): Promise<ServedAdapter & { readonly files: MemoryFileSystem }> {
  const files = await diskOf(vectors);
  const base = await readBaseFolder(files, "/base");
  const options = { files, base, family: base.family, baseModel: "org/model" };
  requireServed({ ...options, ...changes });
  const adapter = await readLoraAdapter(files, "/adapter");
  const written = await writeServedAdapter(adapter, "/out", {
    ...options,
    dropsUnembedding: true,
    ...changes,
  });
  return { files, ...written };
}

/** Without the unembedding, which the cookbook keeps although servers refuse it. */
function withoutHead(tensors: VectorTensors): VectorTensors {
  return Object.fromEntries(Object.entries(tensors).filter(([name]) => !name.includes("lm_head")));
}

const CONVERTED = Object.entries(FAMILIES).flatMap(([name, vectors]) =>
  "tensors" in vectors.served ? [[name, vectors, vectors.served] as const] : [],
);

it.each(CONVERTED)("an adapter of %s equals the cookbook's", async (_, vectors, served) => {
  const { files } = await serve(vectors);
  const path = "/out/adapter_model.safetensors";
  expect(await tensorsIn(files, path)).toEqual(withoutHead(served.tensors));
  const modules = served.config["target_modules"];
  expect(JSON.parse(await files.readText("/out/adapter_config.json"))).toEqual({
    ...served.config,
    target_modules: Array.isArray(modules) ? modules.filter((name) => name !== "lm_head") : null,
  });
});

it("an adapter of a variant names the base model as its hub does", async () => {
  const { files } = await serve(vectorsOf("qwen3"), { baseModel: "org/model:peft:262144" });
  expect(JSON.parse(await files.readText("/out/adapter_config.json"))).toMatchObject({
    base_model_name_or_path: "org/model",
  });
});

it("an adapter that the cookbook refuses is refused, with an alternative", async () => {
  const refused = Object.keys(FAMILIES).filter((name) => "refused" in vectorsOf(name).served);
  expect(refused).toEqual(["deepseek_v3"]);
  const failed = serve(vectorsOf("deepseek_v3"));
  await expect(failed).rejects.toThrow(/org\/model is not served.*form merged/);
});

describe("an adapter for servers", () => {
  it("with an unembedding is refused, unless it is to be omitted", async () => {
    const refused = serve(vectorsOf("qwen3_moe"), { dropsUnembedding: false });
    await expect(refused).rejects.toMatchObject({ code: "weights-form" });
    await expect(refused).rejects.toThrow(/form merged.*--drop-unembed.*train_unembed: false/);
    const without = await serve(vectorsOf("qwen3"), { dropsUnembedding: false });
    expect(without.lacksUnembedding).toBe(false);
    expect((await serve(vectorsOf("qwen3_moe"))).lacksUnembedding).toBe(true);
  });

  it("of a model whose projections servers fuse requires the base model's files", async () => {
    const without = serve(vectorsOf("nemotron_h"), { base: null });
    await expect(without).rejects.toThrow(/in_proj of org\/model.*--base.*form peft/);
    await expect(serve(vectorsOf("qwen3_5"), { base: null })).resolves.toBeDefined();
  });

  it("has the rank of its largest module, for the server's limit", async () => {
    expect((await serve(vectorsOf("qwen3"))).highestRank).toBe(2);
    expect((await serve(vectorsOf("nemotron_h"))).highestRank).toBe(4);
  });

  it("appears under its name only when complete", async () => {
    const vectors = vectorsOf("qwen3");
    const files = await diskOf(vectors);
    const base = await readBaseFolder(files, "/base");
    const adapter = await readLoraAdapter(files, "/adapter");
    const { family } = base;
    const options = { files, base, family, baseModel: "org/model", dropsUnembedding: false };
    const write = (): Promise<unknown> => writeServedAdapter(adapter, "/out", options);
    for (let allowed = 0; allowed < 100; allowed += 1) {
      files.allowedWrites = allowed;
      const isDone = await write().then(
        () => true,
        () => false,
      );
      const isThere = (await files.size("/out/adapter_model.safetensors")) !== null;
      if (isThere) {
        const written = await tensorsIn(files, "/out/adapter_model.safetensors");
        expect(Object.keys(written)).toHaveLength(Object.keys(vectors.adapter).length);
      }
      if (isDone) break;
    }
    expect(await files.list("/out")).toEqual(["adapter_config.json", "adapter_model.safetensors"]);
  });
});
