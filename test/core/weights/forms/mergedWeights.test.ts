/** Compares merged weights with tinker-cookbook's merge: byte for byte, because the synthetic values round only one way. */

import { describe, expect, it } from "vitest";
import {
  readBaseFolder,
  requireUnquantized,
} from "../../../../src/core/weights/forms/baseFolder.ts";
import { readLoraAdapter } from "../../../../src/core/weights/forms/loraAdapter.ts";
import { writeMergedWeights } from "../../../../src/core/weights/forms/mergedWeights.ts";
import { planMerge } from "../../../../src/core/weights/forms/mergePlan.ts";
import type { MemoryFileSystem } from "../../runFolder/memoryFileSystem.ts";
import {
  diskOf,
  FAMILIES,
  fileOf,
  tensorsIn,
  type VectorTensors,
  vectorsOf,
} from "./cookbookForms.ts";

async function merge(files: MemoryFileSystem, signal?: AbortSignal): Promise<readonly string[]> {
  await requireUnquantized(files, "/base");
  const base = await readBaseFolder(files, "/base");
  const adapter = await readLoraAdapter(files, "/adapter");
  const plan = planMerge(adapter, base);
  return await writeMergedWeights("/out", { files, adapter, base, plan, signal });
}

/** Writes the base model of `vectors` in two files with an index. */
async function inShards(files: MemoryFileSystem, base: VectorTensors): Promise<void> {
  const names = Object.keys(base);
  const map = new Map(
    names.map((name, at) => [name, `model-0000${(at % 2) + 1}-of-00002.safetensors`]),
  );
  await files.remove("/base/model.safetensors");
  for (const shard of new Set(map.values())) {
    const own = names.filter((name) => map.get(name) === shard);
    const tensors = Object.fromEntries(own.map((name) => [name, base[name] ?? missing()]));
    await files.writeAtomic(`/base/${shard}`, fileOf(tensors));
  }
  const index = { metadata: { total_size: 1000 }, weight_map: Object.fromEntries(map) };
  await files.writeAtomic("/base/model.safetensors.index.json", JSON.stringify(index));
}

function missing(): never {
  throw new Error("There is no such tensor.");
}

describe.each(Object.entries(FAMILIES))("merged weights of %s", (_, vectors) => {
  it("equal the cookbook's", async () => {
    const files = await diskOf(vectors);
    await merge(files);
    expect(await tensorsIn(files, "/out/model.safetensors")).toEqual(vectors.merged);
  });

  it("are the same from several files", async () => {
    const files = await diskOf(vectors);
    await inShards(files, vectors.base);
    const names = await merge(files);
    const shards = names.filter((name) => name.endsWith(".safetensors"));
    const all = await Promise.all(shards.map((name) => tensorsIn(files, `/out/${name}`)));
    expect(shards).toHaveLength(2);
    expect(Object.assign({}, ...all)).toEqual(vectors.merged);
  });
});

describe("merged weights", () => {
  it("include the base model's other files, except for its card and other weights", async () => {
    const files = await diskOf(vectorsOf("qwen3"));
    const beside = ["tokenizer.json", "LICENSE", "chat_template.jinja", "modeling_x.py"];
    const left = [
      "README.md",
      "pytorch_model.bin",
      "pytorch_model.bin.index.json",
      ".gitattributes",
    ];
    for (const name of [...beside, ...left]) await files.writeAtomic(`/base/${name}`, name);
    const names = await merge(files);
    expect(names).toEqual([...beside, "config.json", "model.safetensors"].sort());
    expect(await files.list("/out")).toEqual(names);
    expect(await files.readText("/out/LICENSE")).toBe("LICENSE");
  });

  it("keep the embedding unchanged if the adapter changes only the unembedding", async () => {
    const { merged, base, ...vectors } = vectorsOf("llama");
    const { "lm_head.weight": head, ...tied } = base;
    const config = { ...vectors.config, tie_word_embeddings: true };
    const embedding = tied["model.embed_tokens.weight"] ?? missing();
    const files = await diskOf({
      ...vectors,
      config,
      base: { ...tied, "model.embed_tokens.weight": head ?? missing() },
    });
    await inShards(files, { ...tied, "model.embed_tokens.weight": head ?? missing() });
    const names = await merge(files);
    const shards = names.filter((name) => name.endsWith(".safetensors"));
    const all = await Promise.all(shards.map((name) => tensorsIn(files, `/out/${name}`)));
    const written: VectorTensors = Object.assign({}, ...all);
    expect(written).toEqual({ ...merged, "model.embed_tokens.weight": head });
    expect(embedding).not.toEqual(head);
    expect(JSON.parse(await files.readText("/out/config.json"))).toEqual({
      ...config,
      tie_word_embeddings: false,
    });
    const index = JSON.parse(await files.readText("/out/model.safetensors.index.json"));
    expect(index.metadata.total_size).toBe(1000 + Buffer.from(head?.data ?? "", "base64").length);
    expect(shards).toContain(index.weight_map["lm_head.weight"]);
  });

  it("declare a separate unembedding if the base stores one that its configuration does not read", async () => {
    const vectors = vectorsOf("llama");
    const config = { ...vectors.config, tie_word_embeddings: true };
    const files = await diskOf({ ...vectors, config });
    await merge(files);
    expect(await tensorsIn(files, "/out/model.safetensors")).toEqual(vectors.merged);
    expect(JSON.parse(await files.readText("/out/config.json"))).toMatchObject({
      tie_word_embeddings: false,
    });
  });

  it("keep completed files after a failure, and continue with the rest", async () => {
    const vectors = vectorsOf("qwen3_moe");
    const files = await diskOf(vectors);
    await inShards(files, vectors.base);
    for (let allowed = 0; allowed < 100; allowed += 1) {
      files.allowedWrites = allowed;
      if (
        await merge(files).then(
          () => true,
          () => false,
        )
      )
        break;
    }
    const shards = (await files.list("/out")).filter((name) => name.endsWith(".safetensors"));
    const all = await Promise.all(shards.map((name) => tensorsIn(files, `/out/${name}`)));
    expect(Object.assign({}, ...all)).toEqual(vectors.merged);
    expect((await files.list("/out")).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("end when they are stopped", async () => {
    const files = await diskOf(vectorsOf("qwen3"));
    await expect(merge(files, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    expect(await files.list("/out")).toEqual(["model.safetensors.part"]);
  });
});

describe("a base model", () => {
  const vectors = vectorsOf("qwen3");
  it.each([
    [{ quantization_config: { quant_method: "mxfp4" } }, /quantized/],
    [{ text_config: { quantization_config: { format: "pack-quantized" } } }, /quantized/],
    [{ model_type: "glm5" }, /not known.*"glm5".*form peft/],
    [{ model_type: undefined }, /does not say the model_type/],
  ])("with %j is refused", async (changes, message) => {
    const files = await diskOf({ ...vectors, config: { ...vectors.config, ...changes } });
    await expect(merge(files)).rejects.toThrow(message);
    expect(await files.list("/out")).toEqual([]);
  });

  it("may have non-JSON numbers in its configuration", async () => {
    const files = await diskOf(vectors);
    const text = '{"model_type": "qwen3", "limits": [0.0, Infinity], "none": NaN}';
    await files.writeAtomic("/base/config.json", text);
    await merge(files);
    expect(await files.readText("/out/config.json")).toBe(text);
  });

  it("whose target is not a float is refused", async () => {
    const name = "model.layers.0.mlp.up_proj.weight";
    const { data, shape } = vectors.base[name] ?? missing();
    const base = { ...vectors.base, [name]: { dtype: "F8_E4M3", shape, data } };
    await expect(merge(await diskOf({ ...vectors, base }))).rejects.toThrow(/up_proj.*F8_E4M3/);
  });

  it("with another size or shape is refused, naming the module that does not fit", async () => {
    const other = await diskOf({ ...vectors, base: vectorsOf("qwen3_moe").base });
    await expect(merge(other)).rejects.toThrow(
      /model.layers.0.mlp.*does not fit.*folder of the base model/,
    );
    const name = "model.layers.0.mlp.up_proj.weight";
    const { data, dtype } = vectors.base[name] ?? missing();
    const base = { ...vectors.base, [name]: { dtype, shape: [8, 6], data } };
    await expect(merge(await diskOf({ ...vectors, base }))).rejects.toThrow(/shape \[8, 6\]/);
  });

  it.each(["../../etc/x.safetensors", "a/b.safetensors", ".safetensors", "weights.bin"])(
    "whose index names %s is refused",
    async (shard) => {
      const files = await diskOf(vectors);
      const index = { weight_map: { a: shard } };
      await files.writeAtomic("/base/model.safetensors.index.json", JSON.stringify(index));
      await expect(merge(files)).rejects.toMatchObject({ code: "base-invalid" });
    },
  );

  it("is refused if it lacks a file that its index names", async () => {
    const files = await diskOf(vectors);
    const index = { weight_map: { a: "model-00001-of-00002.safetensors" } };
    await files.writeAtomic("/base/model.safetensors.index.json", JSON.stringify(index));
    await expect(merge(files)).rejects.toThrow(/lacks model-00001-of-00002/);
  });
});
