import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunEntry } from "../../../src/api/runs.ts";
import { MeasuredRuns } from "../../../src/server/catalogue/measuredRuns.ts";
import type { RunFile } from "../../../src/shared/runFile.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { aRun } from "../../host/runEntries.ts";

const CONFIG = "/projects/tinker-config.yaml";
const fileSystem = filesOnDisk();
const parent = folderOfEachTest();

afterEach(() => {
  vi.useRealTimers();
});

/** A run with this many steps on disk. */
function storedRun(name: string, steps: number, more: Partial<RunFile> = {}): RunEntry {
  const folder = join(parent, name);
  mkdirSync(folder, { recursive: true });
  const rows = Array.from({ length: steps }, (_, step) =>
    JSON.stringify({ step, tokens: { sampled: 100 * (step + 1) } }),
  );
  writeFileSync(join(folder, "metrics.jsonl"), rows.map((row) => `${row}\n`).join(""));
  const file = aRunFile({ configPath: CONFIG, generation: 1, ...more });
  return aRun({ folder, name, steps, totalSteps: 10, isLive: false, file });
}

function reader(runs: readonly RunEntry[]) {
  const store = { runs, onDidChange: () => ({ dispose: () => undefined }) };
  const within = vi.spyOn(fileSystem, "within");
  within.mockClear();
  const onChange = vi.fn();
  const measured = new MeasuredRuns({
    store,
    fileSystem,
    onError: (error) => {
      throw error;
    },
  });
  measured.onDidChange(onChange);
  return { store, measured, within, onChange };
}

describe("measurements of a configuration's newest run", () => {
  it("are read in the background after a request", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const { measured, within, onChange } = reader([storedRun("new", 2)]);
    expect(within).not.toHaveBeenCalled();
    expect(measured.of(CONFIG)).toBeNull();
    vi.advanceTimersByTime(1_000);
    await vi.waitFor(() => expect(onChange).toHaveBeenCalledTimes(1));
    expect(measured.of(CONFIG)).toMatchObject({
      folder: join(parent, "new"),
      run: { name: "new", steps: 2, step: { tokens: 150 } },
    });
  });

  it("come from the newest training run that has completed a step", async () => {
    const scored = storedRun("scored", 3, { evaluation: { models: [] } as never });
    const others = [storedRun("begun", 0), scored, storedRun("other", 3)];
    const elsewhere = storedRun("elsewhere", 3, { configPath: "/other.yaml" });
    const { measured } = reader([elsewhere, ...others, storedRun("old", 5)]);
    measured.of(CONFIG);
    await measured.read();
    expect(measured.of(CONFIG)?.run?.name).toBe("other");
  });

  it("are read again only when that run has grown", async () => {
    const runs = [storedRun("new", 2)];
    const { measured, within, onChange } = reader(runs);
    measured.of(CONFIG);
    await measured.read();
    await measured.read();
    expect(within).toHaveBeenCalledTimes(1);
    runs[0] = storedRun("new", 4);
    await measured.read();
    expect(within).toHaveBeenCalledTimes(2);
    expect(onChange).toHaveBeenCalledTimes(2);
    expect(measured.of(CONFIG)?.run?.steps).toBe(4);
  });

  it("are read again for a later run in the same folder", async () => {
    const runs = [storedRun("new", 2)];
    const { measured, within } = reader(runs);
    measured.of(CONFIG);
    await measured.read();
    runs[0] = storedRun("new", 2, { runId: "later" });
    await measured.read();
    expect(within).toHaveBeenCalledTimes(2);
  });

  it("are dropped with a deleted run", async () => {
    const runs = [storedRun("new", 2)];
    const { measured } = reader(runs);
    measured.of(CONFIG);
    await measured.read();
    runs.pop();
    await measured.read();
    expect(measured.of(CONFIG)).toBeNull();
  });
});
