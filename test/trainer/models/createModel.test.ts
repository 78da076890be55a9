import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import type { LoadOptions, ModelInfo } from "../../../src/core/tinker/models.ts";
import type { ServiceClient } from "../../../src/core/tinker/serviceClient.ts";
import { tinkerError } from "../../../src/core/tinker/transport/errors.ts";
import { createClient } from "../../../src/trainer/models/createModel.ts";
import { aCheckpointEntry, aRunFile } from "../../core/runFolder/builders.ts";
import { aConfig } from "../../core/training/builders.ts";
import { fakeService } from "../../core/training/fakeContext.ts";
import { FakeTrainingClient } from "../../core/training/fakeTrainingClient.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";

const PATH = "tinker://run/weights/final";

/** Creates the model of a configuration with a service that differs like this. */
const start = (service: Partial<ServiceClient>, config: Config, path = "/home/run.yaml") =>
  createClient(
    { service: { ...fakeService([]), ...service }, close: async () => undefined },
    { config, path },
  );

/** Starts from a checkpoint that the service describes like this. */
function startFrom(info: Partial<ModelInfo>, key: "init_from" | "resume_from" = "init_from") {
  const config = aConfig({ [key]: PATH });
  const { model_name: baseModel, lora_rank: loraRank } = config;
  const client = Object.assign(new FakeTrainingClient(), {
    info: () => ({ modelId: "run", baseModel, loraRank, ...info }),
  });
  return { client, started: start({ createTrainingClientFromState: async () => client }, config) };
}

it("a checkpoint of the configured model is accepted, also when the service does not name its model", async () => {
  for (const info of [{}, { baseModel: null, loraRank: null }]) {
    const { client, started } = startFrom(info);
    await expect(started).resolves.toBe(client);
  }
});

it.each(["init_from", "resume_from"] as const)(
  "%s rejects a checkpoint of another model or rank",
  async (key) => {
    await expect(startFrom({ baseModel: "Other/Model" }, key).started).rejects.toMatchObject({
      code: "checkpoint-other-model",
      message: `${key}: ${PATH} is a checkpoint with model_name: Other/Model. Set model_name to that, or choose another checkpoint.`,
    });
    await expect(startFrom({ loraRank: 3 }, key).started).rejects.toMatchObject({
      code: "checkpoint-other-model",
      configPath: "lora_rank",
    });
  },
);

it.each(["init_from", "resume_from"] as const)(
  "%s continues with the configured variant of the checkpoint's model",
  async (key) => {
    const loaded: LoadOptions[] = [];
    const startAs = (model_name: string, baseModel: string) =>
      start(
        {
          weightsFacts: async () => ({ baseModel, loraRank: 32 }),
          createTrainingClientFromState: async (_path, options) => {
            loaded.push(options);
            const info = { modelId: "run", baseModel: model_name, loraRank: null };
            return Object.assign(new FakeTrainingClient(), { info: () => info });
          },
        },
        aConfig({ [key]: PATH, model_name }),
      );
    await startAs("Qwen/Qwen3.8-27B:peft:262144", "Qwen/Qwen3.8-27B");
    await startAs("Qwen/Qwen3.8-27B", "Qwen/Qwen3.8-27B:peft:262144");
    await startAs("Qwen/Qwen3.8-27B", "Qwen/Qwen3.8-27B");
    const names = ["Qwen/Qwen3.8-27B:peft:262144", "Qwen/Qwen3.8-27B", undefined];
    expect(loaded.map(({ baseModel }) => baseModel)).toEqual(names);
    await expect(startAs("Qwen/Qwen3-8B", "Qwen/Qwen3.8-27B")).rejects.toMatchObject({
      code: "checkpoint-other-model",
    });
    expect(loaded).toHaveLength(3);
  },
);

it.each(["init_from", "resume_from"] as const)(
  "a path of %s that the service rejects is reported by its key, unlike an outage",
  async (key) => {
    const load = (fault: Error) =>
      start(
        {
          createTrainingClientFromState: () => Promise.reject(fault),
          listCheckpoints: async () => [],
        },
        aConfig({ [key]: PATH }),
      );
    const refused = [
      tinkerError("tinker-request-failed", "Unknown path", { data: { category: "user" } }),
      tinkerError("tinker-not-found", "Unknown path", { data: { status: 404 } }),
    ];
    for (const fault of refused) {
      await expect(load(fault)).rejects.toMatchObject({
        code: "no-such-checkpoint",
        configPath: key,
        message: `${key}: ${PATH} cannot be loaded. Unknown path. tinker-rl checkpoints list shows what exists.`,
      });
    }
    const outages = [
      tinkerError("tinker-unavailable", "Try again"),
      tinkerError("tinker-request-failed", "Out of memory", { data: { category: "server" } }),
    ];
    for (const fault of outages) await expect(load(fault)).rejects.toBe(fault);
  },
);

it.each([
  tinkerError("tinker-not-found", "No request r-1", { data: { status: 404 } }),
  tinkerError("tinker-bad-request", "Bad tags", { data: { status: 400 } }),
])("a checkpoint that the service lists is never reported missing: %s", async (fault) => {
  const unknown = { time: null, sizeBytes: null, isPublic: null, expiresAt: null };
  const service = {
    createTrainingClientFromState: () => Promise.reject(fault),
    listCheckpoints: async () => [{ path: PATH, ...unknown, userMetadata: {} }],
  };
  await expect(start(service, aConfig({ init_from: PATH }))).rejects.toBe(fault);
});

it("a rank that the server rejects is reported by its key", async () => {
  const detail = "LoRA rank 64 must be between 1 and 32";
  const fault = tinkerError("tinker-request-failed", detail, { data: { detail } });
  const createTrainingClient = () => Promise.reject(fault);
  const started = start({ createTrainingClient }, aConfig({ lora_rank: 64 }));
  await expect(started).rejects.toMatchObject({
    configPath: "lora_rank",
    message: expect.stringMatching(/^lora_rank: 64 is not accepted\. LoRA rank 64 must be between/),
  });
});

it("a run folder stands for its newest checkpoint, or the one after a given step, and another folder is rejected", async () => {
  const folder = folderOfThisTest();
  const asked: string[] = [];
  const createTrainingClientFromState = async (path: string) => {
    asked.push(path);
    return startFrom({}).client;
  };
  const startAt = (init_from: string) =>
    start({ createTrainingClientFromState }, aConfig({ init_from }), join(folder, "run.yaml"));
  await expect(startAt("first")).rejects.toThrow(/first is not the folder of a run/);
  await mkdir(join(folder, "first"));
  await writeFile(join(folder, "first", "run.json"), JSON.stringify(aRunFile()));
  await expect(startAt("first")).rejects.toThrow(/has no checkpoint to train on/);
  const entries = [
    aCheckpointEntry({
      name: "checkpoint_000002",
      step: 2,
      state_path: "tinker://S:train:0/weights/a",
    }),
    aCheckpointEntry({ name: "final_000004", step: 4, state_path: "tinker://S:train:0/weights/b" }),
  ];
  const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  await writeFile(join(folder, "first", "checkpoints.jsonl"), lines);
  await startAt("first");
  await startAt("first@2");
  expect(asked).toEqual(["tinker://S:train:0/weights/b", "tinker://S:train:0/weights/a"]);
  await expect(startAt("first@3")).rejects.toThrow(/after 3 steps to train on.*these steps: 2, 4/);
});
