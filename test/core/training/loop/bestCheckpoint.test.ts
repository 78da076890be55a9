import { describe, expect, it } from "vitest";
import { AppError } from "../../../../src/core/errors.ts";
import { usableCheckpoints } from "../../../../src/core/runFolder/checkpointLog.ts";
import { anEvaluation, ENVIRONMENT } from "../builders.ts";
import { PATHS } from "../fakeContext.ts";
import {
  type LoopRun,
  type LoopRunOptions,
  positionOf,
  prepareRun,
  rewarding,
} from "./prepareRun.ts";

const METRIC = `eval/${ENVIRONMENT}/test/greedy/reward_mean`;
const evaluation = anEvaluation({ num_samples: 1, temperatures: [0] });

/** Evaluations end with these rewards, one after the other, while training rollouts play. */
function prepare(
  evaluated: readonly number[],
  { steps = evaluated.length + 1, ...options }: LoopRunOptions = {},
): LoopRun {
  const config = { evaluation, save_best: METRIC, ...options.config };
  const remote = rewarding([1, 0]);
  const { openSession } = remote;
  const measured = rewarding(evaluated);
  remote.openSession = (task, ...more) =>
    task.split === "test" ? measured.openSession(task, ...more) : openSession(task, ...more);
  return prepareRun({ ...options, steps, remote, config });
}

/** Calls `act` once, at the first sample after the start of the evaluation that follows two steps. */
function duringSecondEvaluation({ context, remote, sampler }: LoopRun, act: () => Promise<void>) {
  const { openSession } = remote;
  let evaluations = 0;
  remote.openSession = (task, ...more) => {
    if (task.split === "test") evaluations += 1;
    return openSession(task, ...more);
  };
  let hasActed = false;
  context.client.sampler = {
    ...sampler,
    sample: async (...asked) => {
      const isDue = !hasActed && evaluations === 2;
      hasActed ||= isDue;
      if (isDue) await act();
      return sampler.sample(...asked);
    },
  };
}

async function left({ checkpoints }: LoopRun) {
  const usable = usableCheckpoints(await checkpoints(), Number.POSITIVE_INFINITY);
  return usable.map(({ name, best }) => [name, best?.value ?? null]);
}

const paths = (name: string) => [
  `tinker://S:train:0/weights/${name}`,
  `tinker://S:train:0/sampler_weights/${name}`,
];

describe("save_best", () => {
  it("keeps the checkpoint with the highest value, and deletes others saved only for comparison", async () => {
    const loop = prepare([0.25, 0.75, 0.5]);
    await loop.run();
    expect(loop.saves()).toEqual(["best_000001", "best_000002", "best_000003", "final_000004"]);
    expect(await left(loop)).toEqual([
      ["best_000002", 0.75],
      ["final_000004", null],
    ]);
    expect(loop.context.deleted).toEqual([...paths("best_000001"), ...paths("best_000003")]);
  });

  it("marks a regular save as the best, and deletes no regular saves", async () => {
    const loop = prepare([0.25, 0.75, 0.5], { config: { save_every: 1 } });
    await loop.run();
    expect(await left(loop)).toEqual(
      [
        ["checkpoint_000001", null],
        ["checkpoint_000003", null],
        ["checkpoint_000004", null],
        ["checkpoint_000002", 0.75],
      ].toSorted(),
    );
    expect(loop.context.deleted).toEqual([]);
  });

  it("keeps the first of equal values", async () => {
    const loop = prepare([0.5, 0.5]);
    await loop.run();
    expect((await left(loop))[0]).toEqual(["best_000001", 0.5]);
  });

  it("keeps the newest save until there is another one, because a resume starts from it", async () => {
    const loop = prepare([0.75, 0.5]);
    let deletedBefore: readonly string[] = [];
    const { saveState } = loop.context.client;
    loop.context.client.saveState = (...args) => {
      if (args[0] === "final_000003") deletedBefore = [...loop.context.deleted];
      return saveState.apply(loop.context.client, args);
    };
    await loop.run();
    expect(deletedBefore).toEqual([]);
    expect(loop.context.deleted).toEqual(paths("best_000002"));
  });

  it("ends with the same checkpoint after a resume from the middle of an evaluation", async () => {
    const first = prepare([0.25, 0.75, 0.5]);
    duringSecondEvaluation(first, async () => {
      throw new AppError("tinker-expired", "gone");
    });
    await expect(first.run()).rejects.toMatchObject({ code: "tinker-expired" });
    expect(first.saves()).toEqual(["best_000001", "best_000002"]);
    const { fileSystem } = first.context;
    const rest = prepare([0.75, 0.5], { fileSystem, steps: 4 });
    await rest.run(await positionOf(first));
    expect(await left(rest)).toEqual([
      ["best_000002", 0.75],
      ["final_000004", null],
    ]);
    expect(rest.context.deleted).toEqual([...paths("best_000001"), ...paths("best_000003")]);
  });

  it("deletes only what a session of this run saved, whatever the folder names as best", async () => {
    const first = prepare([0.25, 0.75, 0.5]);
    duringSecondEvaluation(first, async () => {
      throw new AppError("tinker-expired", "gone");
    });
    await expect(first.run()).rejects.toMatchObject({ code: "tinker-expired" });
    const { fileSystem } = first.context;
    const stored = new TextDecoder().decode(fileSystem.files.get(PATHS.checkpoints));
    const forged = stored.replaceAll(
      "S:train:0/weights/best_000001",
      "Other:train:0/weights/final",
    );
    fileSystem.files.set(PATHS.checkpoints, new TextEncoder().encode(forged));
    const rest = prepare([0.75, 0.5, 0.25], { fileSystem, steps: 5 });
    await rest.run(await positionOf(first));
    expect(rest.context.deleted).toEqual([...paths("best_000003"), ...paths("best_000004")]);
    const { recorded } = rest.context;
    const kept = recorded.filter(({ kind }) => kind === "checkpoint-kept");
    expect(kept).toHaveLength(1);
    expect(kept[0]?.message).toContain("tinker://Other:train:0/weights/final");
    // Readers of the message must not be led to delete what another run needs.
    expect(kept[0]?.message).toContain("may belong to another run");
    expect(kept[0]?.message).not.toContain("checkpoints delete");
    const deleted = recorded.filter(({ kind }) => kind === "checkpoint-deleted");
    expect(deleted.map(({ data }) => data["path"])).toEqual(rest.context.deleted);
  });

  it("keeps a user's save, even one also saved for comparison", async () => {
    const loop = prepare([0.75, 0.5, 0.25]);
    const saved: string[] = [];
    duringSecondEvaluation(loop, async () => {
      const { name } = await loop.context.control.saveNow();
      saved.push(name);
    });
    await loop.run();
    expect(saved).toEqual(["best_000002"]);
    expect((await left(loop)).map(([name]) => name)).toContain("best_000002");
  });

  it("retries a deletion that the service refused", async () => {
    let refusals = 1;
    const deleted: string[] = [];
    const loop = prepare([0.25, 0.75, 0.5], {
      deleteCheckpoint: async (path) => {
        if (refusals-- > 0) throw new AppError("tinker-unavailable", "gone");
        deleted.push(path);
      },
    });
    await loop.run();
    expect(deleted).toEqual([...paths("best_000001"), ...paths("best_000003")]);
    expect(await left(loop)).toHaveLength(2);
  });
});
