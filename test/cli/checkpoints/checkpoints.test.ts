import { describe, expect, it, vi } from "vitest";
import type { TrainerApi } from "../../../src/cli/arguments/trainerApi.ts";
import { runProgram } from "../../../src/cli/program.ts";
import { AppError } from "../../../src/core/errors.ts";
import {
  appendCheckpoint,
  type CheckpointEntry,
} from "../../../src/core/runFolder/checkpointLog.ts";
import type {
  DescribedCheckpoint,
  StoredCheckpoint,
} from "../../../src/trainer/checkpoints/listCheckpoints.ts";
import { aCheckpointEntry } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";

const PATH = "tinker://s1:train:0/weights/final_000002";
const LOCAL: StoredCheckpoint = {
  place: "this computer",
  path: PATH,
  time: "2026-11-22T09:41:07.123Z",
  sizeBytes: 250_000,
  isPublic: false,
  expiresAt: null,
};
const HOSTED: StoredCheckpoint = {
  place: "Tinker",
  path: "tinker://s2:train:0/sampler_weights/b",
  time: null,
  sizeBytes: null,
  isPublic: null,
  expiresAt: "2026-11-29T09:41:00Z",
};
const DESCRIBED: DescribedCheckpoint = {
  ...HOSTED,
  baseModel: "org/model",
  loraRank: 32,
  consoleUrl: "https://tinker.thinkingmachines.ai/checkpoints/s2/b",
};

async function run(
  trainer: Partial<TrainerApi>,
  words: readonly string[],
  fileSystem = createMemoryFileSystem(),
) {
  const program = createFakeProgram({ trainer: aTrainer(trainer), fileSystem });
  const code = await runProgram(program, ["checkpoints", ...words]);
  const { out, err } = program;
  return { code, text: out.lines.join("\n"), errors: err.lines.join("\n"), live: err.live };
}

describe("checkpoints list", () => {
  it("shows where each is stored and when it expires", async () => {
    const { text } = await run({ listCheckpoints: async () => [LOCAL, HOSTED] }, ["list"]);
    expect(text).toMatch(/final_000002 +this computer +2026-11-22 09:41 +244 KiB +it is deleted/);
    expect(text).toMatch(/sampler_weights\/b +Tinker +– +– +2026-11-29 09:41/);
  });

  it("prints the same as JSON, in one line", async () => {
    const { text } = await run({ listCheckpoints: async () => [LOCAL, HOSTED] }, [
      ...["list", "--json"],
    ]);
    expect(JSON.parse(text)).toEqual({
      format: "tinker-rl.checkpoints/1",
      checkpoints: [LOCAL, HOSTED],
    });
  });

  it("reports when there are none", async () => {
    expect((await run({ listCheckpoints: async () => [] }, ["list"])).text).toBe(
      "There are no checkpoints.",
    );
    const { text } = await run({ listCheckpoints: async () => [] }, ["list", "--json"]);
    expect(JSON.parse(text)).toMatchObject({ checkpoints: [] });
  });

  it("of a run sends no request, and lists those that can be used", async () => {
    const fileSystem = createMemoryFileSystem();
    const folder = "/home/me/runs/demo";
    const entry: CheckpointEntry = aCheckpointEntry({
      name: "checkpoint_000001",
      step: 1,
      state_path: PATH,
      expires_at: "2025-12-31T00:00:00Z",
      created_at: "2025-12-01T00:00:00Z",
    });
    await appendCheckpoint(fileSystem, folder, entry);
    const final = { ...entry, name: "final_000002", step: 2, kind: "final", expires_at: null };
    await fileSystem.append(`${folder}/checkpoints.jsonl`, `${JSON.stringify(final)}\n`);
    await fileSystem.writeAtomic(`${folder}/metrics.jsonl`, "");
    const { text } = await run({}, ["list", "runs/demo"], fileSystem);
    expect(text).toContain("final_000002  final, after 2 steps");
    expect(text).not.toContain("checkpoint_000001");
    const { text: json } = await run({}, ["list", "runs/demo", "--json"], fileSystem);
    expect(JSON.parse(json)).toEqual({
      format: "tinker-rl.run-checkpoints/1",
      folder,
      checkpoints: [
        {
          name: "final_000002",
          step: 2,
          kind: "final",
          metrics: {},
          renderer: "r",
          statePath: PATH,
          samplerPath: null,
          expiresAt: null,
          createdAt: "2025-12-01T00:00:00Z",
        },
      ],
    });
  });
});

describe("checkpoints info", () => {
  it("names the base model, the expiry and the page", async () => {
    const { text } = await run({ describeCheckpoint: async () => DESCRIBED }, ["info", PATH]);
    expect(text).toMatch(/base model +org\/model/);
    expect(text).toMatch(/LoRA rank +32/);
    expect(text).toMatch(/kept until +2026-11-29 09:41/);
    expect(text).toMatch(/page +https:\/\/tinker\.thinkingmachines\.ai/);
    const json = await run({ describeCheckpoint: async () => DESCRIBED }, ["info", PATH, "--json"]);
    expect(JSON.parse(json.text)).toEqual({ format: "tinker-rl.checkpoint/1", ...DESCRIBED });
  });

  it("prints no control characters from a server", async () => {
    const baseModel = "org/\u001b[2Jmodel";
    const { text } = await run({ describeCheckpoint: async () => ({ ...DESCRIBED, baseModel }) }, [
      ...["info", PATH],
    ]);
    expect(text).not.toContain("\u001b");
  });
});

describe("checkpoints download", () => {
  const done = {
    path: PATH,
    folder: "/home/me/demo-final",
    files: [{ name: "adapter_model.safetensors", sizeBytes: 250_000, sha256: "ab" }],
  };

  it("quotes the folder if a shell needs it", async () => {
    const downloadCheckpoint = async () => ({ ...done, folder: "/home/me/my weights" });
    const { text } = await run({ downloadCheckpoint }, ["download", PATH]);
    expect(text).toContain('hf upload USER/NAME "my weights"');
  });

  it("prints progress and cost on stderr, and the folder on stdout", async () => {
    const downloadCheckpoint = vi.fn<TrainerApi["downloadCheckpoint"]>(async (_, request) => {
      request.onExport?.();
      request.onProgress?.({ name: "a", receivedBytes: 1000, totalBytes: 4000 });
      request.onProgress?.({ name: "a", receivedBytes: 4000, totalBytes: null });
      return done;
    });
    const { text, errors, live } = await run({ downloadCheckpoint }, ["download", PATH]);
    expect(errors).toMatch(/training session, which it may bill/);
    expect(live).toEqual(["a  1000 B of 3.9 KiB", "a  3.9 KiB", null]);
    expect(text).toContain(
      "demo-final\ntinker://s1:train:0/weights/final_000002\n  adapter_model.safetensors  244 KiB",
    );
    expect(text).toContain("hf upload USER/NAME demo-final");
    expect(downloadCheckpoint.mock.calls[0]?.[1]).toMatchObject({
      source: PATH,
      name: null,
      output: null,
      isLocalOnly: false,
    });
  });

  it("resolves the base model's folder from the current folder", async () => {
    const downloadCheckpoint = vi.fn<TrainerApi["downloadCheckpoint"]>(async () => done);
    await run({ downloadCheckpoint }, ["download", PATH, "--for", "merged", "--base", "qwen"]);
    await run({ downloadCheckpoint }, ["download", PATH, "--for=vllm"]);
    await run({ downloadCheckpoint }, ["download", PATH, "--for=peft"]);
    expect(downloadCheckpoint.mock.calls.map(([, { form }]) => form)).toEqual([
      { form: "merged", base: "/home/me/qwen", dropsUnembedding: false },
      { form: "vllm", base: null, dropsUnembedding: false },
      undefined,
    ]);
  });

  it("prints only the folder and its files with --json", async () => {
    const { text } = await run({ downloadCheckpoint: async () => done }, [
      ...["download", PATH, "--json"],
    ]);
    expect(JSON.parse(text)).toEqual({ format: "tinker-rl.download/1", ...done });
  });

  it("requires a run if it gets no address", async () => {
    const { code, errors } = await run({}, ["download", "runs/nothing"]);
    expect(code).toBe(2);
    expect(errors).toContain("is not a run folder");
  });

  it("is stopped by an interrupt, and says that it can be continued", async () => {
    const program = createFakeProgram({
      trainer: aTrainer({
        downloadCheckpoint: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => reject(signal.reason));
          }),
      }),
    });
    const ended = runProgram(program, ["checkpoints", "download", PATH]);
    await vi.waitFor(() => expect(program.listeners.size).toBe(1));
    program.interrupt();
    expect(await ended).toBe(6);
    expect(program.err.lines.join()).toMatch(/What was downloaded stays in the folder/);
    expect(program.listeners.size).toBe(0);
  });

  it.each([
    ["download-failed", 5],
    ["folder-not-empty", 2],
    ["no-such-checkpoint", 2],
    ["disk", 1],
  ] as const)("that ends with %s has exit code %i", async (code, expected) => {
    const downloadCheckpoint = (): never => {
      throw new AppError(code, "It is so.");
    };
    const ended = await run({ downloadCheckpoint }, ["download", PATH]);
    expect([ended.code, ended.text]).toEqual([expected, ""]);
    expect(ended.errors).toBe("error: It is so.");
  });
});

describe("changes of checkpoints", () => {
  it.each([
    [["publish", PATH], "now public for everyone who knows the address"],
    [["unpublish", PATH], "no longer public"],
    [["set-ttl", PATH, "2d"], "kept for 2 days from now"],
    [["set-ttl", PATH, "36h"], "kept for 36 hours from now"],
    [["set-ttl", PATH, "1h"], "kept for 1 hour from now"],
    [["set-ttl", PATH, "never"], "kept until it is deleted"],
    [["delete", PATH], "deleted from Tinker"],
  ])("%j is confirmed once it is made", async (words, expected) => {
    async function* changeCheckpoints() {
      yield { path: PATH, place: "Tinker" as const };
    }
    const { text } = await run({ changeCheckpoints }, words);
    expect(text).toBe(`${expected}: ${PATH}`);
  });

  it("of a run's checkpoint refers to it by name", async () => {
    const fileSystem = createMemoryFileSystem();
    await fileSystem.writeAtomic("/home/me/runs/demo/metrics.jsonl", "");
    const asked: unknown[] = [];
    const changeInRun: TrainerApi["changeInRun"] = async function* (_, request) {
      asked.push(request);
      yield { path: PATH, place: "Tinker" };
    };
    const words = ["set-ttl", "runs/demo", "7d", "--name", "a"];
    const { text } = await run({ changeInRun }, words, fileSystem);
    expect(text).toBe(`kept for 7 days from now: ${PATH}`);
    expect(asked).toEqual([
      expect.objectContaining({ run: "/home/me/runs/demo", name: "a", isLocalOnly: false }),
    ]);
  });

  it("reports what was missing", async () => {
    async function* changeCheckpoints() {
      yield { path: PATH, place: null };
    }
    const { text } = await run({ changeCheckpoints }, ["delete", PATH, "--local"]);
    expect(text).toBe(`not on this computer: ${PATH}`);
  });
});
