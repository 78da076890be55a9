import { expect, it, vi } from "vitest";
import type { LaunchEnd } from "../../../src/host/runs/launchWatch.ts";
import {
  labelledLines,
  SweepTraining,
  type SweepTrainingRequest,
} from "../../../src/host/runs/sweepTraining.ts";
import type { TrainingRequest } from "../../../src/host/runs/trainings.ts";
import { EXIT } from "../../../src/shared/exitCodes.ts";
import { createSweepTrainer } from "../../cli/fakeSweepTrainer.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 2
max_steps: 2
`;

/** A window on one machine; `isRefused` dismisses every prompt about keys. */
async function aWindow({ isRefused = false, waits = false } = {}) {
  const ports = { fileSystem: createMemoryFileSystem(), clock: new FakeClock() };
  await ports.fileSystem.writeAtomic("/p/c.yaml", CONFIG);
  const { trainer, runs } = createSweepTrainer(ports);
  const requests: TrainingRequest[] = [];
  const byHand: boolean[] = [];
  const sent: string[] = [];
  let places = 0;
  const listed = new Map<string, SweepTraining>();
  const ended: unknown[] = [];
  const follow = async ({ configPath, resume, overrides, sweep }: TrainingRequest) => {
    if (isRefused) return null;
    const base = { owner: "editor", overrides, watch: () => undefined } as const;
    const run =
      resume === null
        ? trainer.startTraining({ ...base, configPath, ...(sweep !== undefined && { sweep }) })
        : trainer.resumeTraining({ ...base, folder: resume });
    const { outcome, folder } = await run.ended;
    return { exitCode: EXIT[outcome], error: null, folder } satisfies LaunchEnd;
  };
  const trainings = {
    takeSlot: async (_holder: unknown, _following: unknown, onWait: () => void) => {
      if (waits) onWait();
      places += 1;
      return () => {
        places -= 1;
      };
    },
    beginSweep: (id: string, sweep: unknown) => {
      listed.set(id, sweep as SweepTraining); // the one that calls it
      return (end: unknown) => {
        listed.delete(id);
        ended.push(end);
      };
    },
    open: (request: TrainingRequest, _launch: string | null, isByHand = true) => {
      requests.push(request);
      byHand.push(isByHand);
      return {
        follow: () => follow(request),
        send: async (action: string) => `${action}: ${sent.push(request.title)}`,
        detached: () => sent.push(`detached ${request.title}`),
      };
    },
  };
  const start = (changes: Partial<SweepTrainingRequest> = {}) => {
    const sweep = new SweepTraining(
      { ...ports, log: silentLog, trainings },
      {
        configPath: "/p/c.yaml",
        title: "sweep c",
        project: "/p",
        overrides: ["max_steps=3"],
        grid: ["seed=1,2,3"],
        parallel: 1,
        halve: null,
        retriesFailed: false,
        ...changes,
      },
    );
    const printed: string[] = [];
    const end = sweep.follow({
      print: (text) => printed.push(text),
      signal: new AbortController().signal,
    });
    return { sweep, end, printed };
  };
  const begun = (count: number) =>
    vi.waitFor(() => expect(runs.filter(({ name }) => name !== null)).toHaveLength(count));
  return { start, runs, requests, byHand, sent, begun, listed, ended, places: () => places };
}

it("trains its runs one after the other in a single slot, each as its own training", async () => {
  const { start, runs, requests, begun, places } = await aWindow();
  const { end, printed } = start();
  for (const count of [1, 2, 3]) {
    await begun(count);
    expect([runs.length, places()]).toEqual([count, 1]);
    await runs[count - 1]?.done([0.5]);
  }
  expect(await end).toMatchObject({ exitCode: 0 });
  expect(places()).toBe(0);
  expect(requests[1]).toMatchObject({
    configPath: "/p/c.yaml",
    title: "seed 2",
    resume: null,
    project: "/p",
    overrides: ["max_steps=3", "seed=2", "run_name=c-sweep.seed_2"],
    settingOverrides: [],
    sweep: { name: "c-sweep", combination: 1, settings: ["seed=2"] },
  });
  expect(printed.at(-1)).toContain("seed 2  done, 1 step, reward 0.50");
});

it("ends with the losses of supervised runs", async () => {
  const { start, runs, begun } = await aWindow();
  const { end, printed } = start({ grid: ["seed=1"] });
  await begun(1);
  await runs[0]?.fitted([1, 0.25]);
  await end;
  expect(printed.at(-1)).toContain("seed 1  done, 2 steps, loss 0.250");
});

it("counts only its first run as started by hand, and none after a wait for other runs", async () => {
  for (const { waits, expected } of [
    { waits: false, expected: [true, false, false] },
    { waits: true, expected: [false, false, false] },
  ]) {
    const { start, runs, byHand, begun } = await aWindow({ waits });
    const { end } = start();
    for (const count of [1, 2, 3]) {
      await begun(count);
      await runs[count - 1]?.done([0.5]);
    }
    await end;
    expect(byHand).toEqual(expected);
  }
});

it("a stop ends the current run and starts no other; the next start continues with it", async () => {
  const { start, runs, requests, sent, begun, listed } = await aWindow();
  const first = start();
  await begun(1);
  expect([...listed.values()]).toEqual([first.sweep]);
  expect(await first.sweep.send("stop")).toMatch(/^stop/);
  expect(sent).toEqual(["seed 1"]);
  await runs[0]?.stop();
  expect(await first.end).toMatchObject({ exitCode: EXIT.stopped });
  expect(listed.size).toBe(0);
  expect(runs).toHaveLength(1);
  expect(first.printed.at(-1)).toContain("seed 2  not started");

  const second = start();
  await begun(2);
  expect(requests.at(-1)).toMatchObject({
    resume: "/p/.tinker-rl/runs/c-sweep.seed_1",
    overrides: ["stop_at_step=null"],
  });
  second.sweep.detached();
  expect(sent).toContain("detached seed 1");
  await runs[1]?.done([1]);
  await second.end;
  expect(runs).toHaveLength(2);
});

it("a dismissed prompt is not shown again for the next run", async () => {
  const { start, requests } = await aWindow({ isRefused: true });
  const { end } = start();
  expect(await end).toMatchObject({ exitCode: EXIT.stopped });
  expect(requests).toHaveLength(1);
});

it("an invalid grid ends it with the lines that name key and value", async () => {
  const { start, requests, places } = await aWindow();
  await expect(start({ grid: ["seed=1,x"] }).end).rejects.toThrow(/^--grid seed=x: error:/);
  expect([requests, places()]).toEqual([[], 0]);
});

it("lines of several runs start with their names, also when they arrive in pieces", () => {
  const printed: string[] = [];
  const print = labelledLines((text) => printed.push(text), "seed=1");
  print("step");
  print(" 1/2\n\nstep 2");
  print("/2\n");
  expect(printed).toEqual(["seed=1  step 1/2\n", "seed=1  step 2/2\n"]);
});

it("halves: the better half goes on, and the terminal says which", async () => {
  const { start, runs, requests, begun, ended } = await aWindow();
  const { end, printed } = start({ grid: ["learning_rate=1e-5,2e-5"], halve: 1 });
  for (const [index, reward] of [0.2, 0.6].entries()) {
    await begun(index + 1);
    await runs[index]?.stop([reward]);
  }
  await begun(3);
  await runs[2]?.done([0.7, 0.8]);
  expect(await end).toMatchObject({ folder: "/p/.tinker-rl/runs/c-sweep.learning_rate_2e-5" });
  expect(ended).toMatchObject([{ name: "c-sweep", isStaged: false, exitCode: EXIT.done }]);
  expect(printed.join("")).toContain("After step 1, 1 of 2 settings goes on: lr 2e-5 (0.60).");
  expect(requests.map(({ resume, overrides }) => [resume === null, overrides.at(-1)])).toEqual([
    [true, "stop_at_step=1"],
    [true, "stop_at_step=1"],
    [false, "stop_at_step=null"],
  ]);
});
