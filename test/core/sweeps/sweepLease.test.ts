import { expect, it } from "vitest";
import { listSweeps } from "../../../src/core/sweeps/sweepFile.ts";
import { claimSweep, type NewSweep } from "../../../src/core/sweeps/sweepLease.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { silentLog } from "../../fakes/silentLog.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const NEW: NewSweep = {
  parent: "/runs",
  file: {
    schemaVersion: 1,
    id: "one",
    name: "demo-sweep",
    runName: "demo",
    configPath: "/c.yaml",
    grid: [{ key: "seed", values: ["1", "2"] }],
    overrides: [],
    halve: null,
    rungs: [],
  },
};

function aMachine() {
  const alive = new Set([1, 2]);
  const ports = {
    fileSystem: createMemoryFileSystem(),
    clock: new FakeClock(),
    log: silentLog,
    isProcessAlive: (pid: number) => alive.has(pid),
  };
  const known = async () => {
    const [sweep] = await listSweeps(ports.fileSystem, "/runs");
    if (sweep === undefined) throw new Error("no sweep");
    return sweep;
  };
  return { alive, known, ports, process: (pid: number) => ({ ...ports, own: { pid, host: "h" } }) };
}

it("a sweep belongs to one process until that releases it or is killed", async () => {
  const { alive, known, process } = aMachine();
  const first = await claimSweep(process(1), NEW);
  await expect(claimSweep(process(2), await known())).rejects.toMatchObject({
    code: "sweep-in-use",
  });
  await first.release();
  await claimSweep(process(2), await known());
  alive.delete(2);
  const third = await claimSweep(process(1), await known());
  expect(third.file.name).toBe("demo-sweep");
});

it("a sweep is refused with the active process and its computer", async () => {
  const { known, process } = aMachine();
  await claimSweep({ ...process(1), own: { pid: 1, host: "gpu-7" } }, NEW);
  await expect(claimSweep(process(2), await known())).rejects.toThrow(
    /^Process 1 on gpu-7 is running/,
  );
});

it("a sweep stays claimed as long as its process writes heartbeats", async () => {
  const { known, ports, process } = aMachine();
  const first = await claimSweep(process(1), NEW);
  for (let beat = 0; beat < 10; beat += 1) {
    await ports.clock.advance(5_000);
  }
  await expect(claimSweep(process(2), await known())).rejects.toMatchObject({
    code: "sweep-in-use",
  });
  await first.release();
});

it("a sweep has its own folder next to other sweeps", async () => {
  const { ports, process } = aMachine();
  await claimSweep(process(1), NEW);
  const second = await claimSweep(process(1), { ...NEW, file: { ...NEW.file, id: "two" } });
  expect(second).toMatchObject({ folder: "/runs/demo-sweep-2", file: { name: "demo-sweep-2" } });
  expect((await listSweeps(ports.fileSystem, "/runs")).map(({ file }) => file.id)).toHaveLength(2);
});

it("a sweep is refused if its file is damaged, with what to do", async () => {
  const { ports } = aMachine();
  await ports.fileSystem.writeAtomic("/runs/demo-sweep/sweep.json", "{");
  await expect(listSweeps(ports.fileSystem, "/runs")).rejects.toThrow(/Delete its folder/);
});

it("records decisions for whoever continues the sweep", async () => {
  const { known, process } = aMachine();
  const lease = await claimSweep(process(1), { ...NEW, file: { ...NEW.file, halve: 3 } });
  await lease.addRung({ step: 3, kept: [0, 2] });
  await lease.addRung({ step: 6, kept: [2] });
  await lease.release();
  const rungs = [
    { step: 3, kept: [0, 2] },
    { step: 6, kept: [2] },
  ];
  expect(lease.file.rungs).toEqual(rungs);
  expect((await known()).file).toMatchObject({ halve: 3, rungs, runner: { heartbeatAtMs: 0 } });
});
