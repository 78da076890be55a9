import { describe, expect, it } from "vitest";
import type { Config } from "../../../../src/core/config/fields/schema.ts";
import { AppError } from "../../../../src/core/errors.ts";
import { readCheckpoints } from "../../../../src/core/runFolder/checkpointLog.ts";
import { readState } from "../../../../src/core/runFolder/state.ts";
import {
  CheckpointWriter,
  dueCheckpoint,
  type RunSnapshot,
  stepOfCheckpoint,
} from "../../../../src/core/training/step/checkpointWriter.ts";
import { NO_RUN_USAGE } from "../../../../src/core/usage/tokenUsage.ts";
import { settle } from "../../../fakes/fakeClock.ts";
import { aConfig } from "../builders.ts";
import { aContext, FOLDER } from "../fakeContext.ts";

function aSnapshot(step: number): RunSnapshot {
  return {
    step,
    epoch: 0,
    position: step * 4,
    metrics: { loss: -1.5 },
    state: (last) => ({
      schema_version: 3,
      run_ids: { local: "run", wandb: null },
      step,
      optimizer_updates: step,
      dataset: { fingerprint: "f", cursor: step * 4 },
      pending: [],
      samplers: [],
      counters: {
        tokens: NO_RUN_USAGE,
        seconds: 0,
        consecutive_empty_steps: 0,
      },
      last_checkpoint: last,
      generation: 1,
    }),
  };
}

function setUp() {
  const context = aContext();
  const keeper = new CheckpointWriter(context);
  return {
    context,
    keeper,
    client: context.client,
    state: () => readState(context.fileSystem, FOLDER),
    saved: async () =>
      (await readCheckpoints(context.fileSystem, FOLDER)).map(({ name, kind }) => [name, kind]),
  };
}

const weights = (name: string) => `tinker://S:train:0/weights/${name}`;
const samplerWeights = (name: string) => `tinker://S:train:0/sampler_weights/${name}`;

describe("a save", () => {
  const due = (changes: Partial<Config>, steps: number) =>
    Array.from({ length: steps }, (_, i) => dueCheckpoint(aConfig(changes), i + 1, false));

  it("is due after every save_every steps, with rolling saves in between", () => {
    expect(due({ save_every: 4, rolling_save_every: 2 }, 8)).toEqual([
      null,
      "rolling",
      null,
      "periodic",
      null,
      "rolling",
      null,
      "periodic",
    ]);
  });

  it("is not due when both are turned off", () => {
    expect(due({ save_every: 0, rolling_save_every: 0 }, 3)).toEqual([null, null, null]);
  });
});

describe("the step of a checkpoint", () => {
  it.each<[string, number | null]>([
    ["tinker://S:train:0/weights/checkpoint_000010", 10],
    ["checkpoint_000010", 10],
    ["tinker://S:train:0/weights/rolling_000003", 3],
    ["tinker://S:train:0/weights/final_1234567", 1234567],
    ["interrupt_000000", 0],
    ["tinker://S:train:0/weights/my-checkpoint_000010", null],
    ["tinker://S:train:0/weights/checkpoint_10", null],
    ["tinker://S:train:0/weights/checkpoint_000010/more", null],
    ["tinker://S:train:0/weights/best", null],
  ])("of %s is %j", (path, step) => {
    expect(stepOfCheckpoint(path)).toBe(step);
  });

  it("is the one that its name was made from", async () => {
    const { keeper, client } = setUp();
    for (const kind of ["periodic", "rolling", "final", "interrupt"] as const) {
      await keeper.begin(kind, 10, aSnapshot(10));
    }
    const names = client.stateSaves.map(({ name }) => name);
    expect(names).toEqual([
      "checkpoint_000010",
      "rolling_000010",
      "final_000010",
      "interrupt_000010",
    ]);
    expect(names.map(stepOfCheckpoint)).toEqual([10, 10, 10, 10]);
  });
});

describe("a checkpoint", () => {
  it("is recorded with both paths, and state.json points to it", async () => {
    const { context, keeper, state } = setUp();
    await keeper.begin("periodic", 10, aSnapshot(10));
    await keeper.settle();
    const paths = {
      step: 10,
      state_path: weights("checkpoint_000010"),
      sampler_path: samplerWeights("checkpoint_000010"),
      expires_at: null,
    };
    expect(await state()).toMatchObject({ step: 10, last_checkpoint: paths });
    expect(await readCheckpoints(context.fileSystem, FOLDER)).toEqual([
      {
        name: "checkpoint_000010",
        epoch: 0,
        position: 40,
        kind: "periodic",
        ...paths,
        metrics: { loss: -1.5 },
        renderer: "template/chatml/plain",
        created_at: "2026-01-01T00:00:00.000Z",
        state: await state(),
      },
    ]);
    expect(context.progress).toEqual([
      {
        kind: "checkpoint",
        name: "checkpoint_000010",
        step: 10,
        checkpointKind: "periodic",
        statePath: weights("checkpoint_000010"),
      },
    ]);
  });

  it("does not block the run, and counts only once the service has confirmed it", async () => {
    const { client, keeper, state, saved } = setUp();
    client.confirmsSaves = false;
    await keeper.begin("periodic", 1, aSnapshot(1));
    expect(client.calls).toEqual(["saveState checkpoint_000001", "saveSampler checkpoint_000001"]);
    client.stateSaves[0]?.confirm();
    await settle();
    expect([await state(), await saved()]).toEqual([null, []]);
    client.samplerSaves[0]?.confirm();
    expect((await keeper.settle())?.step).toBe(1);
    expect((await state())?.step).toBe(1);
  });

  it("waits for the previous one, so that state.json never goes back", async () => {
    const { client, keeper, state } = setUp();
    client.confirmsSaves = false;
    await keeper.begin("rolling", 1, aSnapshot(1));
    const second = keeper.begin("rolling", 2, aSnapshot(2));
    expect(client.stateSaves).toHaveLength(2);
    client.stateSaves[1]?.confirm();
    await settle();
    expect(await state()).toBeNull();
    client.stateSaves[0]?.confirm();
    await second;
    await keeper.settle();
    expect((await state())?.step).toBe(2);
  });

  it("leaves state.json unchanged when the service refuses it, and the next one fails", async () => {
    const { client, keeper, state } = setUp();
    await keeper.begin("periodic", 1, aSnapshot(1));
    await keeper.settle();
    client.confirmsSaves = false;
    await keeper.begin("periodic", 2, aSnapshot(2));
    const refused = new AppError("tinker-unavailable", "Tinker is away.");
    client.stateSaves[1]?.fail(refused);
    await expect(keeper.begin("periodic", 3, aSnapshot(3))).rejects.toBe(refused);
    expect((await state())?.step).toBe(1);
  });
});

describe("a rolling checkpoint", () => {
  it("has only the training state, and expires after a day", async () => {
    const { context, client, keeper } = setUp();
    await keeper.begin("rolling", 1, aSnapshot(1));
    await keeper.settle();
    expect(client.calls).toEqual(["saveState rolling_000001"]);
    expect(client.stateSaves[0]?.options).toMatchObject({ ttlSeconds: 24 * 3600 });
    const [entry] = await readCheckpoints(context.fileSystem, FOLDER);
    expect(entry).toMatchObject({ sampler_path: null, expires_at: "2026-01-02T00:00:00.000Z" });
  });

  it("is deleted once a newer save of any kind is in state.json", async () => {
    const { context, keeper } = setUp();
    for (const [kind, step] of [
      ["rolling", 1],
      ["rolling", 2],
      ["periodic", 3],
      ["rolling", 4],
    ] as const) {
      await keeper.begin(kind, step, aSnapshot(step));
      await keeper.settle();
    }
    expect(context.deleted).toEqual([weights("rolling_000001"), weights("rolling_000002")]);
    const saves = await readCheckpoints(context.fileSystem, FOLDER);
    expect(saves.map(({ name, expires_at }) => [name, expires_at?.slice(0, 10)])).toEqual([
      ["rolling_000001", "2026-01-01"],
      ["checkpoint_000003", undefined],
      ["rolling_000002", "2026-01-01"],
      ["rolling_000004", "2026-01-02"],
    ]);
  });

  it("stays until the newer one is confirmed", async () => {
    const { context, client, keeper } = setUp();
    await keeper.begin("rolling", 1, aSnapshot(1));
    await keeper.settle();
    client.confirmsSaves = false;
    await keeper.begin("rolling", 2, aSnapshot(2));
    await settle();
    expect(context.deleted).toEqual([]);
  });

  it("that cannot be deleted does not end the run", async () => {
    const gone = () => Promise.reject(new AppError("tinker-not-found", "It is gone."));
    const keeper = new CheckpointWriter(aContext({ deleteCheckpoint: gone }));
    await keeper.begin("rolling", 1, aSnapshot(1));
    await keeper.begin("rolling", 2, aSnapshot(2));
    expect((await keeper.settle())?.step).toBe(2);
  });
});

describe("the lasting save at the end", () => {
  it("reuses the last checkpoint if that is of this step and lasting", async () => {
    const { client, keeper, saved } = setUp();
    await keeper.begin("periodic", 10, aSnapshot(10));
    const entry = await keeper.saveLasting("final", aSnapshot(10));
    expect(entry).toMatchObject({ kind: "final", state_path: weights("checkpoint_000010") });
    expect(client.stateSaves).toHaveLength(1);
    expect(await saved()).toEqual([
      ["checkpoint_000010", "periodic"],
      ["checkpoint_000010", "final"],
    ]);
  });

  it("is made anew when the last checkpoint is older or only rolling", async () => {
    for (const [kind, step] of [
      ["periodic", 9],
      ["rolling", 10],
    ] as const) {
      const { keeper, client } = setUp();
      await keeper.begin(kind, step, aSnapshot(step));
      const entry = await keeper.saveLasting("final", aSnapshot(10));
      expect(entry.sampler_path).toBe(samplerWeights("final_000010"));
      expect(client.stateSaves).toHaveLength(2);
    }
  });

  it("is not repeated", async () => {
    const { keeper, client, saved } = setUp();
    const first = await keeper.saveLasting("interrupt", aSnapshot(4));
    expect(await keeper.saveLasting("interrupt", aSnapshot(4))).toBe(first);
    expect(client.stateSaves).toHaveLength(1);
    expect(await saved()).toEqual([["interrupt_000004", "interrupt"]]);
  });
});
