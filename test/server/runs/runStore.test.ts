import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { listRuns } from "../../../src/core/runs/runList.ts";
import { runRow } from "../../../src/host/views/runRow.ts";
import { systemClock } from "../../../src/node/clock.ts";
import { onLines, sendLine } from "../../../src/node/control/lineSocket.ts";
import { RunStore } from "../../../src/server/runs/runStore.ts";
import type { ControlAddress, RunFile } from "../../../src/shared/runFile.ts";
import { INITIAL_STATUS } from "../../../src/trainer/control/runStatus.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock, settle } from "../../fakes/fakeClock.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { writePythonRun } from "../../fakes/pythonRun.ts";

const RUN = "/runs/demo";

let place: string;
let control: ControlAddress;
let server: Server;
let sockets: Socket[];
let actions: string[];
/** The trainer's reaction to a command. */
let answer: (socket: Socket, request: { readonly id: number; readonly action: string }) => void;
let clock: FakeClock;
let store: RunStore;
let fileSystem: ReturnType<typeof createMemoryFileSystem>;

beforeEach(async () => {
  // Under a name that clients accept for a trainer's socket.
  place = await mkdtemp(join(tmpdir(), "tinker-rl-run-"));
  control = { address: join(place, "control.sock"), tokenPath: join(place, "token") };
  await writeFile(control.tokenPath, "t".repeat(43));
  sockets = [];
  actions = [];
  const status = { ...INITIAL_STATUS, phase: "running" as const, step: 3 };
  answer = (socket, { id }) => sendLine(socket, { id, ok: true, message: "It will.", status });
  server = createServer((socket) => {
    sockets.push(socket);
    onLines(socket, (line) => {
      const request = JSON.parse(line);
      actions.push(request.action);
      answer(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(control.address, resolve));
  clock = new FakeClock();
  fileSystem = createMemoryFileSystem();
  store = new RunStore({ fileSystem, clock, nameOf: () => null, onError: () => undefined });
});

afterEach(async () => {
  store.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await rm(place, { recursive: true });
});

/** As if a trainer in this process had just written a heartbeat. */
async function writeRun(changes: Partial<RunFile> = {}): Promise<void> {
  const file: RunFile = aRunFile({
    pid: process.pid,
    startedAtMs: clock.now(),
    heartbeatAtMs: clock.now(),
    phase: "running",
    control,
    ...changes,
  });
  await fileSystem.writeAtomic(`${RUN}/run.json`, JSON.stringify(file));
}

async function addStep(step: number, mean: number): Promise<void> {
  const row = { step, rollout: { reward: { mean } } };
  await fileSystem.append(`${RUN}/metrics.jsonl`, `${JSON.stringify(row)}\n`);
}

async function writeSweepRun(): Promise<void> {
  for (const [step, mean] of [0, 0, 1, 0, 0].entries()) await addStep(step, mean);
  const sweep = { id: "s", name: "demo-sweep", combination: 0, combinations: 2, settings: [] };
  await writeRun({ sweep });
}

it("knows the best reward of a sweep's run, also while its trainer reports steps", async () => {
  await writeSweepRun();
  await store.look([], [RUN]);
  await vi.waitFor(() => expect(store.get(RUN)?.best).toBeCloseTo(0.2, 12));
  await addStep(5, 1);
  store.onStatus(RUN, { ...INITIAL_STATUS, phase: "running", step: 6, rewardMean: 1 });
  await vi.waitFor(() => expect(store.get(RUN)?.best).toBeCloseTo(0.4, 12));
  await writeRun();
  await store.refresh();
  expect(store.get(RUN)?.best).toBeNull();
});

it("is read while the metrics of a sweep are still searched for the best reward", async () => {
  await writeSweepRun();
  let isListed = false;
  store.onDidChange((folder) => {
    isListed ||= folder === null;
  });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { readRange } = fileSystem;
  vi.spyOn(fileSystem, "readRange").mockImplementation(async (...range) => {
    if (isListed) await held;
    return readRange(...range);
  });
  await store.look([], [RUN]);
  expect(store.get(RUN)).toMatchObject({ steps: 5, best: null });
  release();
  await vi.waitFor(() => expect(store.get(RUN)?.best).toBeCloseTo(0.2, 12));
});

it("detects by itself that an unconnected trainer no longer writes heartbeats", async () => {
  await writeRun({ control: null });
  await store.look([], [RUN]);
  expect(store.get(RUN)).toMatchObject({ isLive: true, phase: "running" });
  for (let seconds = 0; seconds < 40; seconds += 5) {
    await clock.advance(5_000);
    await settle();
  }
  expect(store.get(RUN)).toMatchObject({ isLive: false, phase: "interrupted" });
  expect(clock.sleeping).toBe(0);
});

it("follows a run in progress, and sends a command over the same connection", async () => {
  await writeRun();
  await store.look([], [RUN]);
  // Before the connection is established.
  expect(await store.send(RUN, { action: "pause" })).toBe("It will.");
  expect(actions).toEqual(["attach", "pause"]);
  expect(sockets).toHaveLength(1);
  expect(store.get(RUN)).toMatchObject({ steps: 3, status: { step: 3 } });
});

it("does not keep retrying a trainer that rejects it", async () => {
  answer = (socket) => socket.destroy();
  await writeRun();
  await store.look([], [RUN]);
  await vi.waitFor(() => expect(actions).toEqual(["attach"]));
  await new Promise((resolve) => server.getConnections(resolve));
  for (let turns = 0; turns < 100; turns++) await settle();
  expect(sockets).toHaveLength(1);
});

it("closes a pending connection when it is closed", async () => {
  await writeRun();
  await store.look([], [RUN]);
  store.close();
  await vi.waitFor(() => expect(sockets[0]?.destroyed ?? sockets.length === 0).toBe(true));
  expect([actions, clock.sleeping]).toEqual([[], 0]);
});

it("shows the rewards of repeated steps once when a run resumes in a new session", async () => {
  await writeRun();
  await store.look([], [RUN]);
  await store.send(RUN, { action: "status" });
  const seen: unknown[] = [];
  for (const [step, rewardMean] of [
    [4, 0.4],
    [5, 0.5],
    [6, null],
    [4, null],
    [5, 0.5],
  ] as const) {
    store.onStatus(RUN, { ...INITIAL_STATUS, phase: "running", step, rewardMean });
    const run = store.get(RUN);
    seen.push([run?.reward, run?.recentRewards.slice(1)]);
  }
  expect(seen).toEqual([
    [0.4, [0.4]],
    [0.5, [0.4, 0.5]],
    [null, [0.4, 0.5, null]],
    [0.4, [0.4]],
    [0.5, [0.4, 0.5]],
  ]);
});

it("shows a run under the user's custom name", async () => {
  await writeRun({ phase: "done" });
  const nameOf = (folder: string) => (folder === RUN ? "best one" : null);
  const named = new RunStore({ fileSystem, clock, onError: () => undefined, nameOf });
  await named.look([], [RUN]);
  expect(named.get(RUN)?.name).toBe("best one");
  named.close();
});

describe("a run folder of the Python program", () => {
  const STEPS = 30;
  const fileSystem = filesOnDisk();
  const parent = folderOfEachTest();
  let folder: string;
  beforeEach(() => {
    folder = writePythonRun(parent, STEPS);
  });

  it("has complete curves, even in steps with an invalid number", async () => {
    const follower = new RunFollower({ fileSystem, folder });
    await follower.refresh();
    expect(follower.problem).toBeNull();
    expect(Array.from(follower.metrics.steps())).toEqual(
      Array.from({ length: STEPS }, (_, step) => step),
    );
    const rewards = follower.metrics.values("rollout/reward/mean");
    expect(Array.from(rewards)).toEqual(
      Array.from({ length: STEPS }, (_, step) => Math.min(1, 0.2 + step / 50)),
    );
    expect(follower.metrics.values("loss")[2]).toBeNaN();
    expect(follower.metrics.values("rollout/reward/std")[1]).toBeNaN();
    expect(follower.metrics.latest("rollout/env/WhoDunIt/reward/mean")).toBeCloseTo(0.78);
  });

  it("is in the list of runs once it was opened, with its steps and reward", async () => {
    const onError = (error: unknown): void => {
      throw error;
    };
    const store = new RunStore({ fileSystem, clock: systemClock, nameOf: () => null, onError });
    await store.look([], [folder]);
    const run = store.get(folder);
    store.close();
    expect(run).toMatchObject({
      name: "python-run",
      phase: "foreign",
      steps: STEPS,
      totalSteps: null,
      isLive: false,
      reward: expect.closeTo(0.78),
      file: null,
      problem: null,
    });
    if (run === null) return;
    const row = runRow(run, { isSpinning: false, isArchived: false });
    expect(row.description).toBe("0.78 · 30 steps · no run.json");
    // It cannot be resumed, and is not in progress.
    expect(row.context).toBe("run+ended+training");
  });

  it("is not treated as a run in a folder with runs of this program", async () => {
    const liveness = { nowMs: 0, isProcessAlive: () => false };
    expect(await listRuns(fileSystem, parent, liveness)).toEqual([]);
  });
});
