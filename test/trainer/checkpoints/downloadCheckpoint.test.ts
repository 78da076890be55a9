import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { settingsChanged } from "../../../src/core/runFolder/settingEvents.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import type { FormRequest } from "../../../src/core/weights/forms/formRequest.ts";
import { encodeBase } from "../../../src/local/engine/modelFolder.ts";
import { systemClock } from "../../../src/node/clock.ts";
import {
  type DownloadRequest,
  downloadCheckpoint,
} from "../../../src/trainer/checkpoints/downloadCheckpoint.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import {
  ADAPTER,
  type ExportingService,
  startExportingService,
} from "../../local/engine/service/exportingService.ts";
import { randomBase, SMALL } from "../../local/engine/testModel.ts";
import { type AStore, anEntry, aRunFolder, aStore, PATH } from "./aStore.ts";

/** The sources have the base model in the same place as the built program. */
const PROGRAM_FOLDER = fileURLToPath(new URL("../../../src/local/engine", import.meta.url));
const API_KEY = "tml-download-test-key";
const FILES = ["README.md", "adapter_config.json", "adapter_model.safetensors"];
const fileSystem = filesOnDisk();
let here: AStore;
const folder = folderOfEachTest();

beforeEach(async () => {
  here = await aStore();
  vi.stubEnv("TINKER_RL_STORE", here.folder);
  vi.stubEnv("TINKER_API_KEY", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

function download(source: string, changes: Partial<DownloadRequest> = {}) {
  return downloadCheckpoint(fileSystem, {
    source,
    name: null,
    output: join(folder, "out"),
    programFolder: PROGRAM_FOLDER,
    isLocalOnly: false,
    allowedOrigins: [],
    folder,
    ...changes,
  });
}

const card = (): string => readFileSync(join(folder, "out", "README.md"), "utf8");

describe("the weights of a local run", () => {
  it("are copied as a PEFT folder with a model card, without any key", async () => {
    const run = aRunFolder(folder, [anEntry()]);
    const { path, files } = await download(run);
    expect(path).toBe(PATH);
    expect(readdirSync(join(folder, "out")).sort()).toEqual(FILES);
    expect(files.map(({ name }) => name).sort()).toEqual(FILES);
    expect(readFileSync(join(folder, "out", "adapter_model.safetensors")).equals(ADAPTER)).toBe(
      true,
    );
    expect(card()).toContain("| Environments | `local/calculator` |");
    expect(card()).toContain("model_name: local/tiny-tool");
    expect(card()).toContain("trained with reinforcement learning");
  });

  it("have a model card that says that they imitate examples", async () => {
    await download(aRunFolder(folder, [anEntry()], { method: "sft", environments: {} }));
    expect(card()).toContain("trained by imitating examples");
  });

  it("have a model card with their training settings: overrides included, later changes excluded", async () => {
    const run = aRunFolder(folder, [anEntry({ step: 15 })]);
    writeFileSync(join(run, "overrides.json"), '["learning_rate=0.2","max_steps=40"]');
    const change = (step: number, path: string, before: number, after: number): string =>
      JSON.stringify({
        timeMs: 0,
        attempt: 1,
        ...settingsChanged(step, [path], [{ path: [path], before, after }]),
      });
    const events = [change(9, "learning_rate", 0.004, 0.2), change(20, "max_steps", 30, 40)];
    writeFileSync(join(run, "events.jsonl"), `${events.join("\n")}\n`);
    await download(run);
    expect(card()).toContain("\nlearning_rate: 0.2\nmax_steps: 30\n```");
    expect(card()).toMatch(/- step 10: learning\\_rate 0\.004 → 0\.2\n$/);
  });

  it("are those of the newest permanent checkpoint, or of the named one", async () => {
    const rolling = anEntry({ name: "r", kind: "rolling", step: 3, state_path: `${PATH}x` });
    const run = aRunFolder(folder, [anEntry(), rolling]);
    expect((await download(run)).path).toBe(PATH);
    await expect(download(`${run}@1`)).rejects.toThrow(/no usable checkpoint after 1 step\./);
    const other = { name: "nothing", output: join(folder, "b") };
    await expect(download(run, other)).rejects.toThrow(
      /no checkpoint nothing.*It has final_000002/,
    );
  });

  const forServers: FormRequest = { form: "vllm", base: null, dropsUnembedding: false };

  it("become an adapter for servers, and leave no intermediate files", async () => {
    const { files } = await download(PATH, { form: forServers });
    expect(readdirSync(join(folder, "out")).sort()).toEqual(FILES);
    expect(files.map(({ name }) => name).sort()).toEqual(FILES);
    const config = JSON.parse(readFileSync(join(folder, "out", "adapter_config.json"), "utf8"));
    expect(config).toMatchObject({ r: 8, lora_alpha: 16, rank_pattern: {} });
    expect(card()).toContain("vllm serve local/tiny-tool --enable-lora --max-lora-rank 8");
  });

  it("merge into a base model of their size, and include its other files", async () => {
    const base = join(folder, "base");
    mkdirSync(base);
    writeFileSync(join(base, "model.safetensors"), encodeBase(SMALL, randomBase(SMALL, 1)));
    writeFileSync(join(base, "config.json"), '{"model_type": "llama"}');
    writeFileSync(join(base, "tokenizer.json"), "{}");
    const form = { form: "merged", base, dropsUnembedding: false } as const;
    const { files } = await download(PATH, { form });
    const names = ["README.md", "config.json", "model.safetensors", "tokenizer.json"];
    expect(files.map(({ name }) => name).sort()).toEqual(names);
    expect(readdirSync(join(folder, "out")).sort()).toEqual(names);
    const [merged, before] = [join(folder, "out"), base].map((path) =>
      readFileSync(join(path, "model.safetensors")),
    );
    expect(merged?.length).toBe(before?.length);
    expect(merged?.equals(before ?? Buffer.of())).toBe(false);
  });

  it("do not merge into the bundled base model if their size differs", async () => {
    const form = { ...forServers, form: "merged" } as const;
    await expect(download(PATH, { form })).rejects.toThrow(/does not fit the base model/);
  });

  it("are not written to a folder with another form", async () => {
    const begun = { format: 1, source: PATH, etags: {} };
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out", "download.json"), JSON.stringify(begun));
    writeFileSync(join(folder, "out", "adapter_config.json"), "{}");
    await expect(download(PATH, { form: forServers })).rejects.toMatchObject({
      code: "folder-not-empty",
    });
  });

  it("are not downloaded after they have expired", async () => {
    const run = aRunFolder(folder, [anEntry({ expires_at: "2026-01-01T00:00:00Z" })]);
    await expect(download(run)).rejects.toMatchObject({ code: "no-such-checkpoint" });
    expect(readdirSync(folder)).toEqual(["demo"]);
  });

  it("are reported missing without a key", async () => {
    const gone = anEntry({ state_path: PATH.replace("s1", "s2") });
    const run = aRunFolder(folder, [gone], { model_name: "local/tiny-tool" });
    await expect(download(run)).rejects.toThrow("may have expired or been deleted");
  });

  it("are already there after a complete download, and others are not", async () => {
    const run = aRunFolder(folder, [anEntry()]);
    const first = await download(run);
    expect(first.wereThere).toBeUndefined();
    mkdirSync(join(folder, "out", ".git"));
    const second = await download(run);
    expect(second.wereThere).toBe(true);
    const byName = (files: typeof first.files) => Object.fromEntries(files.map((f) => [f.name, f]));
    expect(byName(second.files)).toEqual(byName(first.files));
    await expect(download(`${PATH}x`)).rejects.toThrow();
    const form: FormRequest = { form: "vllm", base: null, dropsUnembedding: false };
    await expect(download(run, { form })).rejects.toMatchObject({ code: "folder-not-empty" });
    rmSync(join(folder, "out", "adapter_model.safetensors"));
    await expect(download(run)).rejects.toMatchObject({ code: "folder-not-empty" });
  });

  it("are not already there when they are merged into another base model", async () => {
    const merge = (seed: number) => {
      const base = join(folder, `base-${seed}`);
      mkdirSync(base, { recursive: true });
      writeFileSync(join(base, "model.safetensors"), encodeBase(SMALL, randomBase(SMALL, seed)));
      writeFileSync(join(base, "config.json"), '{"model_type": "llama"}');
      return download(PATH, { form: { form: "merged", base, dropsUnembedding: false } });
    };
    await merge(1);
    expect((await merge(1)).wereThere).toBe(true);
    await expect(merge(2)).rejects.toMatchObject({ code: "folder-not-empty" });
  });

  it("are not written to a folder with other content", async () => {
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "out", "thesis.tex"), "");
    await expect(download(PATH)).rejects.toMatchObject({ code: "folder-not-empty" });
    expect(readdirSync(join(folder, "out"))).toEqual(["thesis.tex"]);
  });

  it("need a key if they are remote", async () => {
    const elsewhere = PATH.replace("s1", "s2");
    await expect(download(elsewhere)).rejects.toMatchObject({ code: "key-missing" });
    await expect(download(elsewhere, { isLocalOnly: true })).rejects.toMatchObject({
      code: "no-such-checkpoint",
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe("weights at a Tinker service", () => {
  let there: AStore;
  let service: ExportingService;
  beforeEach(async () => {
    there = await aStore();
    const options = { folder: there.folder, clock: systemClock, key: API_KEY };
    service = await startExportingService(options);
    vi.stubEnv("TINKER_BASE_URL", service.address);
    vi.stubEnv("TINKER_API_KEY", API_KEY);
    await service.client.submit("/save_weights", {
      model_id: service.modelId,
      path: "a",
      seq_id: 1,
    });
  });
  afterEach(async () => {
    await service.close();
  });

  const state = (): string => `tinker://${service.modelId}/weights/a`;
  const exports = async (): Promise<readonly unknown[]> =>
    (await there.store.allCheckpoints()).filter(({ kind }) => kind === "external_weights");

  it("arrive as files, after a message about the session that the export uses", async () => {
    const onExport = vi.fn();
    const received: number[] = [];
    const { files } = await download(state(), {
      onExport,
      onProgress: ({ name, receivedBytes, totalBytes }) => {
        if (name.endsWith(".safetensors")) received.push(receivedBytes, totalBytes ?? 0);
      },
    });
    expect(onExport).toHaveBeenCalledOnce();
    expect(received.slice(-2)).toEqual([ADAPTER.length, ADAPTER.length]);
    expect(files.map(({ name }) => name).sort()).toEqual(FILES);
    expect(files.find(({ name }) => name.endsWith(".safetensors"))?.sha256).toBe(
      createHash("sha256").update(ADAPTER).digest("hex"),
    );
    expect(readFileSync(join(folder, "out", "adapter_model.safetensors")).equals(ADAPTER)).toBe(
      true,
    );
    expect(card()).toContain("| LoRA rank | 8 |");
  });

  it("of a run are requested from the service that trained it", async () => {
    vi.stubEnv("TINKER_BASE_URL", "http://127.0.0.1:1");
    const run = aRunFolder(folder, [anEntry({ state_path: state() })], {
      tinker_base_url: service.address,
    });
    await expect(download(run)).rejects.toMatchObject({ code: "run-destination" });
    const allowedOrigins = [{ origin: new URL(service.address).origin, key: null }];
    expect((await download(run, { allowedOrigins })).path).toBe(state());
    expect(card()).toContain("model_name: local/tiny-tool");
  });

  /** The adapter's file size. */
  function aBase(modelType: string): string {
    const base = join(folder, "base");
    mkdirSync(base);
    writeFileSync(join(base, "model.safetensors"), encodeBase(SMALL, randomBase(SMALL, 1)));
    writeFileSync(join(base, "config.json"), JSON.stringify({ model_type: modelType }));
    return base;
  }

  it("are not exported for a server if no server can load them", async () => {
    const onExport = vi.fn();
    const form = { form: "vllm", base: aBase("deepseek_v3"), dropsUnembedding: false } as const;
    const failed = download(state(), { form, onExport });
    await expect(failed).rejects.toThrow(/local\/fake is not served.*or peft/);
    expect(onExport).not.toHaveBeenCalled();
    expect(readdirSync(folder)).toEqual(["base"]);
  });

  it("are exported once, also if their conversion is retried", async () => {
    const form = { form: "merged", base: aBase("llama"), dropsUnembedding: false } as const;
    const onExport = vi.fn();
    const stop = new AbortController();
    const onProgress = ({ name }: { readonly name: string }): void => {
      if (name === "model.safetensors") stop.abort(new Error("stopped"));
    };
    const stopped = download(state(), { form, onExport, onProgress, signal: stop.signal });
    await expect(stopped).rejects.toThrow("stopped");
    expect(await exports()).toEqual([]);
    await download(state(), { form, onExport });
    expect(onExport).toHaveBeenCalledOnce();
    expect(readdirSync(join(folder, "out")).sort()).toEqual([
      ...["README.md", "config.json", "model.safetensors"],
    ]);
  });

  it("are exported once, also if another form is chosen after one that failed", async () => {
    const form = { form: "merged", base: null, dropsUnembedding: false } as const;
    const onExport = vi.fn();
    const failed = download(state(), { form, onExport });
    await expect(failed).rejects.toThrow(/does not fit the base model/);
    await download(state(), { form: { ...form, form: "vllm" }, onExport });
    expect(onExport).toHaveBeenCalledOnce();
    expect(readdirSync(join(folder, "out")).sort()).toEqual(FILES);
  });

  it("leave no export behind, also when the download fails", async () => {
    await download(state());
    expect(await exports()).toEqual([]);
    const stop = AbortSignal.abort(new Error("stopped"));
    const elsewhere = { output: join(folder, "stopped"), signal: stop };
    await expect(download(state(), elsewhere)).rejects.toThrow("stopped");
    expect(await exports()).toEqual([]);
  });

  it("leave their addresses neither in the folder nor in the log", async () => {
    const redactor = new Redactor();
    const learned = vi.spyOn(redactor, "learn");
    await download(state(), { redactor });
    const secrets = learned.mock.calls.flat().map(String);
    expect(secrets.some((text) => text.includes("signature="))).toBe(true);
    for (const name of FILES) {
      const text = readFileSync(join(folder, "out", name), "latin1");
      for (const secret of [API_KEY, ...secrets]) expect(text).not.toContain(secret);
    }
  });

  it("for sampling are rejected before a session starts", async () => {
    const body = { model_id: service.modelId, path: "b", seq_id: 2 };
    const { path } = await service.client.submit("/save_weights_for_sampler", body);
    const onExport = vi.fn();
    await expect(download(String(path), { onExport })).rejects.toThrow(
      /the state of the same step/,
    );
    expect(onExport).not.toHaveBeenCalled();
  });
});
