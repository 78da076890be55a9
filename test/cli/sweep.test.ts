import { describe, expect, it, vi } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import type { ErrorCode } from "../../src/core/errorCodes.ts";
import { AppError } from "../../src/core/errors.ts";
import { listRuns } from "../../src/core/runs/runList.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { createFakeProgram } from "./fakeProgram.ts";
import { createSweepTrainer, type FakeSweepRun } from "./fakeSweepTrainer.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 2
max_steps: 2
`;
const RUNS = "/p/.tinker-rl/runs";

/** One machine with one project; each start of the program is a new process. */
function aMachine() {
  const fileSystem = createMemoryFileSystem();
  const clock = new FakeClock();
  const configure = (text: string) => fileSystem.writeAtomic("/p/c.yaml", text);
  return {
    fileSystem,
    configure,
    start: async (...args: readonly string[]) => {
      if ((await fileSystem.size("/p/c.yaml")) === null) await configure(CONFIG);
      const { trainer, runs } = createSweepTrainer({ fileSystem, clock });
      const invocation = { program: "tinker-rl", cwd: "/p" };
      const program = createFakeProgram({ fileSystem, clock, trainer, invocation });
      const exit = runProgram(program, ["sweep", "/p/c.yaml", ...args]);
      const begun = (count: number) =>
        vi.waitFor(() => expect(runs.filter(({ name }) => name !== null)).toHaveLength(count), {
          timeout: 10_000,
        });
      /** Ends the `count`th run once it has started. */
      const done = async (count: number, rewards = [1]): Promise<void> => {
        await begun(count);
        await runs[count - 1]?.done(rewards);
      };
      /** The run reached its `stop_at_step` after two more steps with this reward. */
      const stopped = async (count: number, reward: number): Promise<void> => {
        await begun(count);
        await runs[count - 1]?.stop([reward, reward]);
      };
      const stop = async (count: number): Promise<void> => {
        await begun(count);
        await runs[count - 1]?.stop();
      };
      const fail = async (count: number, code: ErrorCode = "tinker-bad-request"): Promise<void> => {
        await begun(count);
        await runs[count - 1]?.fail(new AppError(code, "The service said no."));
      };
      return { program, exit, runs, begun, done, stopped, stop, fail };
    },
  };
}

const GRID = ["--grid", "learning_rate=1e-5,4e-5", "--grid", "seed=1,2"];

function namesOf(runs: readonly FakeSweepRun[]) {
  return runs.map(({ name }) => name);
}

it("trains each combination once, one after another, and prints their results", async () => {
  const { start, fileSystem } = aMachine();
  const { program, exit, runs, begun } = await start(...GRID, "--max_steps", "3");
  for (const count of [1, 2, 3, 4]) {
    await begun(count);
    expect(runs).toHaveLength(count);
    await runs[count - 1]?.done([0.5, 0.25 * count]);
  }
  expect(await exit).toBe(0);
  expect(namesOf(runs)).toEqual([
    "c-sweep.learning_rate_1e-5.seed_1",
    "c-sweep.learning_rate_1e-5.seed_2",
    "c-sweep.learning_rate_4e-5.seed_1",
    "c-sweep.learning_rate_4e-5.seed_2",
  ]);
  expect(runs[1]?.request).toMatchObject({
    owner: "terminal",
    overrides: ["max_steps=3", "learning_rate=1e-5", "seed=2", `run_name=${runs[1]?.name}`],
    sweep: { name: "c-sweep", combination: 1, settings: ["learning_rate=1e-5", "seed=2"] },
  });
  const { lines } = program.out;
  const table = lines.slice(lines.findIndex((line) => line.startsWith("sweep c-sweep in")) - 1);
  expect(table).toEqual([
    "",
    "sweep c-sweep in .tinker-rl/runs",
    "learning_rate  seed  state  steps  last 5  best of 5   time  folder",
    `1e-5           1     done       2    0.38       0.38  3.0 s  ${runs[0]?.name}`,
    `1e-5           2     done       2    0.50       0.50  3.0 s  ${runs[1]?.name}`,
    `4e-5           1     done       2    0.63       0.63  3.0 s  ${runs[2]?.name}`,
    `4e-5           2     done       2    0.75       0.75  3.0 s  ${runs[3]?.name}`,
    "",
    expect.stringMatching(
      /^learning_rate did not clearly matter: it explains \d+% of the differences \[0%, \d+%\]\.$/,
    ),
    "Runs are compared by the mean reward of the last 5 steps.",
  ]);
  expect(JSON.parse(await fileSystem.readText(`${RUNS}/c-sweep/sweep.json`))).toMatchObject({
    schemaVersion: 1,
    name: "c-sweep",
    configPath: "/p/c.yaml",
    overrides: ["max_steps=3"],
    runner: { heartbeatAtMs: 0 },
  });
});

it("reports how much each of several settings explains, and what is left out", async () => {
  const { start } = aMachine();
  const grid = [...GRID, "--grid", "batch_size=2,4"];
  const { program, exit, done, fail } = await start(...grid);
  for (let count = 1; count < 8; count += 1) {
    await done(count, [0.5, (count < 5 ? 0.1 : 0.8) + 0.01 * count]);
  }
  await fail(8);
  expect(await exit).toBe(5);
  const end = program.out.lines.slice(program.out.lines.lastIndexOf("") + 1);
  expect(end).toEqual([
    expect.stringMatching(/^learning_rate mattered most: it explains 9\d%/),
    expect.stringMatching(/^learning_rate explains 9\d% of the differences/),
    expect.stringMatching(/^batch_size {4}explains \d%/),
    "Runs are compared by the mean reward of the last 5 steps.",
    "1 run is left out: it is not done, has no result, or changed a setting of the sweep.",
  ]);
});

it("compares supervised runs by their loss", async () => {
  const { start } = aMachine();
  const { program, exit, runs, begun } = await start(...GRID);
  for (const [index, loss] of [0.9, 0.91, 0.2, 0.21].entries()) {
    await begun(index + 1);
    await runs[index]?.fitted([1, loss]);
  }
  expect(await exit).toBe(0);
  const [head, ...rows] = program.out.lines.slice(
    program.out.lines.findIndex((line) => line.startsWith("learning_rate")),
  );
  expect(head).toMatch(/^learning_rate +seed +state +steps +loss +time +folder$/);
  expect(rows[0]).toMatch(/^1e-5 +1 +done +2 +0\.900 /);
  expect(rows.at(-2)).toMatch(/^learning_rate mattered: it explains (9\d|100)% of the differences/);
  expect(rows.at(-1)).toBe("Runs are compared by the mean loss of the last steps (at most 5).");
});

it("starts as many runs at once as --parallel says, labels each line with its run, and warns that they share processors", async () => {
  const { start } = aMachine();
  const { program, exit, runs, begun } = await start("--grid", "seed=1,2,3", "--parallel", "2");
  await begun(2);
  expect(program.out.lines.join("\n")).toContain("2 concurrent runs share the processors");
  await runs[1]?.done([1]);
  await begun(3);
  runs[2]?.request.watch({ kind: "notice", message: "hello" });
  expect(program.out.lines.at(-1)).toMatch(/^seed 3 {2}.*hello/);
  await Promise.all([runs[0]?.done([1]), runs[2]?.done([1])]);
  expect(await exit).toBe(0);
});

it("prints only JSON on stdout", async () => {
  const { start } = aMachine();
  const { program, exit, done, fail } = await start("--grid", "seed=1,2", "--json");
  await done(1, [0.5]);
  await fail(2);
  expect(await exit).toBe(5);
  expect(program.out.lines).toHaveLength(1);
  expect(JSON.parse(program.out.lines[0] ?? "")).toEqual({
    format: "tinker-rl.sweep/1",
    sweep: "c-sweep",
    comparedBy: { field: "recentReward", evaluation: null, step: null },
    effects: [],
    runs: [
      {
        settings: { seed: "1" },
        state: "done",
        left: null,
        steps: 1,
        lastReward: 0.5,
        recentReward: 0.5,
        evaluatedReward: null,
        bestReward: 0.5,
        loss: null,
        totalS: 1.5,
        costUsd: null,
        folder: `${RUNS}/c-sweep.seed_1`,
        problem: null,
      },
      {
        settings: { seed: "2" },
        state: "failed",
        left: null,
        steps: 0,
        lastReward: null,
        recentReward: null,
        evaluatedReward: null,
        bestReward: null,
        loss: null,
        totalS: 0,
        costUsd: null,
        folder: `${RUNS}/c-sweep.seed_2`,
        problem: "The service said no.",
      },
    ],
  });
});

describe("a sweep with --halve", () => {
  const LINE = ["--grid", "learning_rate=1e-5,2e-5,4e-5,8e-5", "--max_steps", "9", "--halve", "2"];
  const NAMES = ["1e-5", "2e-5", "4e-5", "8e-5"].map((rate) => `c-sweep.learning_rate_${rate}`);

  it("trains the better half on, again and again, and reports the others as dropped", async () => {
    const { start, fileSystem } = aMachine();
    const { program, exit, runs, stopped, done } = await start(...LINE);
    for (const [index, reward] of [0.1, 0.4, 0.3, 0.2].entries()) await stopped(index + 1, reward);
    await stopped(5, 0.5);
    await stopped(6, 0.9);
    await done(7, [0.7, 0.7, 0.7]);
    expect(await exit).toBe(0);
    expect(namesOf(runs)).toEqual([...NAMES, NAMES[1], NAMES[2], NAMES[2]]);
    expect(runs.map(({ request }) => request.overrides?.at(-1))).toEqual([
      ...Array(4).fill("stop_at_step=2"),
      ...Array(2).fill("stop_at_step=4"),
      "stop_at_step=null",
    ]);
    const { lines } = program.out;
    expect(lines).toContain(
      "After step 2, 2 of 4 settings go on: lr 2e-5 (0.40), lr 4e-5 (0.30). Dropped: lr 8e-5 (0.20), lr 1e-5 (0.10). Runs are compared by the mean reward of the last 5 steps.",
    );
    expect(lines.join("\n")).toContain("After step 4, 1 of 2 settings goes on: lr 4e-5 (0.60).");
    const states = lines.flatMap(
      (line) => /^(\de-5) +(\w+) +(\d)/.exec(line)?.slice(1).join(" ") ?? [],
    );
    expect(states).toEqual(["1e-5 dropped 2", "2e-5 dropped 4", "4e-5 done 7", "8e-5 dropped 2"]);
    expect(lines.at(-1)).toMatch(/^8e-5/);
    const listed = await listRuns(fileSystem, RUNS, { nowMs: 0, isProcessAlive: () => false });
    const phases = new Map(listed.map(({ name, phase }) => [name, phase]));
    expect(NAMES.map((name) => phases.get(name))).toEqual([
      "dropped",
      "dropped",
      "done",
      "dropped",
    ]);
    expect(listed.find(({ name }) => name === NAMES[1])?.file?.ending?.message).toBe(
      "The sweep c-sweep dropped the run after 4 steps, because other settings were better.",
    );
  });

  it("trains a run on that has left the sweep, without comparing it", async () => {
    const { start } = aMachine();
    const { program, exit, runs, begun, stopped, done } = await start(...LINE);
    await begun(1);
    await runs[0]?.change("learning_rate", 1);
    for (const [index, reward] of [0.1, 0.4, 0.3, 0.2].entries()) await stopped(index + 1, reward);
    for (const count of [5, 6, 7]) await stopped(count, 0.5 - count / 100);
    await done(8, [0.7]);
    await done(9, [0.8]);
    expect(await exit).toBe(0);
    expect(namesOf(runs).slice(4)).toEqual([NAMES[0], NAMES[1], NAMES[2], NAMES[0], NAMES[1]]);
    const text = program.out.lines.join("\n");
    expect(text).toContain(
      "After step 2, 2 of 3 settings go on: lr 2e-5 (0.40), lr 4e-5 (0.30). Dropped: lr 8e-5 (0.20). Runs are compared by the mean reward of the last 5 steps. lr 1e-5 goes on without being compared, because a setting of the sweep was changed while it ran.",
    );
    expect(text).toContain("After step 4, 1 of 2 settings goes on: lr 2e-5 (0.42).");
    expect(text).toMatch(/^1e-5 +done, learning_rate changed at step 2 +5/m);
  });

  it("compares nothing if all runs but one have left the sweep", async () => {
    const { start } = aMachine();
    const grid = ["--grid", "learning_rate=1e-5,2e-5", "--max_steps", "9", "--halve", "2"];
    const { program, exit, runs, begun, stopped, done } = await start(...grid);
    await begun(1);
    await runs[0]?.change("learning_rate", 1);
    for (const count of [1, 2]) await stopped(count, 0.1);
    for (const count of [3, 4]) await done(count, [0.7]);
    expect(await exit).toBe(0);
    expect(program.out.lines.join("\n")).toContain(
      "After step 2, there is nothing left to compare. lr 1e-5 goes on without being compared,",
    );
  });

  it("ends when no run can go on", async () => {
    const { start, fileSystem } = aMachine();
    const { exit, fail } = await start(...LINE);
    for (const count of [1, 2, 3, 4]) await fail(count);
    expect(await exit).not.toBe(0);
    const { rungs } = JSON.parse(await fileSystem.readText(`${RUNS}/c-sweep/sweep.json`));
    expect(rungs).toEqual([]);
  });

  it("continues after an interruption with the decisions made before it", async () => {
    const { start } = aMachine();
    const first = await start(...LINE);
    for (const [index, reward] of [0.1, 0.4, 0.3, 0.2].entries()) {
      await first.stopped(index + 1, reward);
    }
    await first.stopped(5, 0.5);
    // Its user stops the other one before it gets there.
    await first.stop(6);
    expect(await first.exit).toBe(3);
    expect(first.program.out.lines).toContain(
      "No run was dropped, because not all have reached step 4. Continue the sweep to decide.",
    );
    const second = await start(...LINE);
    await second.begun(1);
    expect(second.program.out.lines[1]).toMatch(
      /^plan +4 runs, 2 dropped, 0 to start, 2 to resume$/,
    );
    await second.stopped(1, 0.9);
    await second.done(2, [0.7]);
    expect(await second.exit).toBe(0);
    expect(namesOf(second.runs)).toEqual([NAMES[2], NAMES[2]]);
  });

  it("does not start when no run could be dropped", async () => {
    const { start } = aMachine();
    const { exit, program, runs } = await start("--grid", "seed=1,2", "--halve", "2");
    expect(await exit).toBe(2);
    expect(program.err.lines.join("\n")).toContain("--halve 2: error: The runs differ at most in");
    expect(runs).toEqual([]);
  });

  it("decides nothing while it is being stopped", async () => {
    const { start, fileSystem } = aMachine();
    const { program, exit, begun, runs } = await start(...LINE, "--parallel", "4");
    await begun(4);
    for (const [index, reward] of [0.1, 0.4, 0.3, 0.2].entries()) {
      if (index === 3) program.interrupt();
      await runs[index]?.stop([reward, reward]);
    }
    expect(await exit).toBe(3);
    const { rungs } = JSON.parse(await fileSystem.readText(`${RUNS}/c-sweep/sweep.json`));
    expect(rungs).toEqual([]);
  });

  it("trains the dropped runs as well when it is continued without the flag", async () => {
    const { start } = aMachine();
    const first = await start(...LINE);
    for (const [index, reward] of [0.1, 0.4, 0.3, 0.2].entries()) {
      await first.stopped(index + 1, reward);
    }
    await first.stopped(5, 0.5);
    await first.stopped(6, 0.9);
    await first.done(7, [0.7]);
    expect(await first.exit).toBe(0);
    const interrupted = await start(...LINE.slice(0, -2));
    await interrupted.begun(1);
    interrupted.program.interrupt();
    await interrupted.stop(1);
    expect(await interrupted.exit).toBe(3);
    const { exit, runs, done } = await start(...LINE.slice(0, -2));
    for (const count of [1, 2, 3]) await done(count, [0.5]);
    expect(await exit).toBe(0);
    expect(namesOf(runs)).toEqual([NAMES[0], NAMES[1], NAMES[3]]);
    expect(runs.map(({ request }) => request.overrides)).toEqual(
      Array(3).fill(["stop_at_step=null"]),
    );
  });
});

describe("the same command again", () => {
  it("leaves finished runs alone, resumes stopped and killed ones, and starts the rest", async () => {
    const { start } = aMachine();
    const first = await start("--grid", "seed=1,2,3,4");
    await first.done(1);
    await first.stop(2);
    await first.begun(3);
    first.program.interrupt();
    first.runs[2]?.vanish();
    expect(await first.exit).toBe(6);

    const second = await start("--grid", "seed=1,2,3,4");
    await second.begun(1);
    const plan = second.program.out.lines.find((line) => line.startsWith("plan"));
    expect(plan).toBe("plan          4 runs, 1 to start, 2 to resume, 1 done");
    await second.runs[0]?.done([1]);
    await second.done(2);
    await second.done(3);
    expect(await second.exit).toBe(0);
    expect(second.runs.map(({ request }) => ("folder" in request ? "resumed" : "started"))).toEqual(
      ["resumed", "resumed", "started"],
    );
    expect(namesOf(second.runs)).toEqual(["c-sweep.seed_2", "c-sweep.seed_3", "c-sweep.seed_4"]);

    const third = await start("--grid", "seed=1,2,3,4");
    expect(await third.exit).toBe(0);
    expect(third.runs).toEqual([]);
  });

  it("reports failed runs, and retries them only on request", async () => {
    const { start } = aMachine();
    const first = await start("--grid", "seed=1,2");
    await first.fail(1);
    await first.done(2);
    expect(await first.exit).toBe(5);
    const second = await start("--grid", "seed=1,2");
    expect(await second.exit).toBe(5);
    expect(second.runs).toEqual([]);
    expect(second.program.out.lines.join("\n")).toContain("1 failed; --retry-failed tries again");
    expect(second.program.out.lines.at(-1)).toBe("seed 1: The service said no.");
    const third = await start("--grid", "seed=1,2", "--retry-failed");
    await third.done(1);
    expect(await third.exit).toBe(0);
  });

  it("is rejected when the configuration changed in between, naming the keys; a comment changes nothing", async () => {
    const { start, configure } = aMachine();
    const first = await start("--grid", "seed=1,2");
    await first.done(1);
    await first.begun(2);
    first.program.interrupt();
    await first.runs[1]?.stop();
    expect(await first.exit).toBe(3);
    await configure(`${CONFIG}lora_rank: 4\nsave_every: 7\n`);
    const changed = await start("--grid", "seed=1,2");
    expect(await changed.exit).toBe(2);
    expect(changed.runs).toEqual([]);
    expect(changed.program.err.lines.join()).toMatch(
      /lora_rank, save_every changed since the sweep began with c-sweep\.seed_1/,
    );
    await configure(`# as before\n${CONFIG}`);
    const undone = await start("--grid", "seed=1,2");
    await undone.done(1);
    expect(await undone.exit).toBe(0);
  });

  it("with another grid is another sweep", async () => {
    const { start } = aMachine();
    const first = await start("--grid", "seed=1");
    await first.done(1);
    await first.exit;
    const second = await start("--grid", "seed=1,2");
    await second.begun(1);
    expect(namesOf(second.runs)).toEqual(["c-sweep-2.seed_1"]);
    second.program.interrupt();
    await second.runs[0]?.stop();
    await second.exit;
  });

  it("is rejected while the first one is running", async () => {
    const { start } = aMachine();
    const first = await start("--grid", "seed=1,2");
    await first.begun(1);
    const second = await start("--grid", "seed=1,2");
    expect(await second.exit).toBe(2);
    expect(second.program.err.lines.join()).toMatch(/is running the sweep/);
    first.program.interrupt();
    await first.runs[0]?.stop();
    await first.exit;
  });
});

it("a first interrupt saves the runs in progress and starts no more, a second ends them immediately", async () => {
  const { start } = aMachine();
  const { program, exit, runs, begun } = await start(...GRID, "--parallel", "2");
  await begun(2);
  program.interrupt();
  expect(runs.map(({ calls }) => calls)).toEqual([["stopAndSave"], ["stopAndSave"]]);
  await runs[0]?.stop();
  program.interrupt();
  expect(runs[1]?.calls).toEqual(["stopAndSave", "stopNow"]);
  expect(program.listeners.size).toBe(0);
  runs[1]?.vanish();
  expect(await exit).toBe(6);
  expect(runs).toHaveLength(2);
  expect(program.out.lines.filter((line) => line.includes("not started"))).toHaveLength(2);
});

it("stopping a single run ends neither the others nor the sweep", async () => {
  const { start } = aMachine();
  const { exit, stop, done } = await start("--grid", "seed=1,2");
  await stop(1);
  await done(2);
  expect(await exit).toBe(3);
});

it("starts no more runs if the account is blocked, and the same command continues them", async () => {
  const { start } = aMachine();
  const first = await start("--grid", "seed=1,2,3");
  await first.done(1);
  await first.fail(2, "tinker-billing");
  expect(await first.exit).toBe(5);
  const { lines } = first.program.out;
  expect(lines.join("\n")).toContain("No more runs will start. Repeat the command");
  expect(lines.filter((line) => line.includes("not started"))).toHaveLength(1);
  const second = await start("--grid", "seed=1,2,3", "--retry-failed");
  await second.done(1);
  await second.done(2);
  expect(await second.exit).toBe(0);
  expect(namesOf(second.runs)).toEqual(["c-sweep.seed_2", "c-sweep.seed_3"]);
});

it("passes secrets to new and resumed runs, and stores none", async () => {
  const { start, fileSystem } = aMachine();
  const args = ["--grid", "seed=1", "--overrides", "secrets.TOKEN=hush", "max_steps=3"];
  const first = await start(...args);
  await first.begun(1);
  expect(first.runs[0]?.request.overrides).toContain("secrets.TOKEN=hush");
  await first.runs[0]?.stop();
  await first.exit;
  const second = await start(...args);
  await second.begun(1);
  expect(second.runs[0]?.request.overrides).toEqual(["secrets.TOKEN=hush", "stop_at_step=null"]);
  await second.runs[0]?.done([1]);
  expect(await second.exit).toBe(0);
  for (const [path, bytes] of fileSystem.files) {
    expect(new TextDecoder().decode(bytes), path).not.toContain("hush");
  }
});

it("--show lists the runs and starts none; an invalid grid starts none either", async () => {
  const { start, fileSystem } = aMachine();
  const shown = await start("--grid", "seed=1,2", "--show");
  expect(await shown.exit).toBe(0);
  expect(shown.program.out.lines).toContain("2     not started      0       –          –     –  –");
  const faulty = await start("--grid", "seed=1,x", "--grid", "log_path=a,b");
  expect(await faulty.exit).toBe(2);
  expect(faulty.program.err.lines).toEqual([expect.stringMatching(/^--grid log_path=a: error:/)]);
  expect([...fileSystem.files.keys()]).toEqual(["/p/c.yaml"]);
});

it("starts more than 100 runs only with --yes", async () => {
  const { start } = aMachine();
  const seeds = `seed=${Array.from({ length: 101 }, (_, index) => index).join(",")}`;
  const refused = await start("--grid", seeds);
  expect(await refused.exit).toBe(2);
  expect(refused.program.err.lines.join()).toMatch(/these are 101 runs, more than 100\. Add --yes/);
  const allowed = await start("--grid", seeds, "--yes");
  await allowed.begun(1);
  allowed.program.interrupt();
  await allowed.runs[0]?.stop();
  expect(await allowed.exit).toBe(3);
});

it.each([
  ["stopped", ["resume        tinker-rl train /p/c.yaml --max_hours=2"]],
  ["done", []],
] as const)(
  "a stage that is %s names the command that trains the remaining stages, or none",
  async (outcome, named) => {
    const { configure, start } = aMachine();
    await configure(`${CONFIG}max_hours: 1\nstages:\n  first: {}\n  second: {}\n`);
    const { program, exit, runs, begun, stop } = await start("--max_hours=2");
    await begun(1);
    const place = { folder: `${RUNS}/${runs[0]?.name}`, step: 1 };
    const learned = { trend: null, fit: null, reason: null, used: { tokens: 0, costUsd: null } };
    runs[0]?.request.watch({ kind: "ended", outcome, ...place, ...learned });
    await stop(1);
    await exit;
    const lines = program.out.lines.filter((line) => /^resume|To continue/.test(line));
    expect(lines).toEqual(named);
  },
);
