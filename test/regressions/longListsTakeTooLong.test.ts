import { truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { fixesAt } from "../../src/core/config/editing/fixes/fixes.ts";
import { MetricColumns } from "../../src/core/runFolder/metrics/metricColumns.ts";
import { tailFile } from "../../src/host/runs/tail.ts";
import { readOverrides } from "../../src/node/startConfig.ts";
import { createFakeProgram } from "../cli/fakeProgram.ts";
import type { PlantedHome } from "../fakes/plantedHome.ts";
import { beforeEachPlantedRun } from "../fakes/plantedHome.ts";

let planted: PlantedHome;
let run: string;

beforeEachPlantedRun((home, path) => {
  planted = home;
  run = path;
});

it("more overrides than anybody gives a run are damage, as each is compared with all others", async () => {
  const texts = (count: number) => Array.from({ length: count }, (_, i) => `a.b${i}=${i}`);
  const files = planted.fileSystem.within(run);
  await writeFile(join(run, "overrides.json"), JSON.stringify(texts(900)));
  expect(await readOverrides(files, run)).toHaveLength(900);
  await writeFile(join(run, "overrides.json"), JSON.stringify(texts(50_000)));
  await expect(readOverrides(files, run)).rejects.toMatchObject({ code: "run-file-invalid" });
});

it("of output that nobody could read through only the end is shown", async () => {
  const path = join(planted.root, "output.log");
  await writeFile(path, "first\n");
  await truncate(path, 3_000_000_000);
  let text = "";
  const tail = tailFile(planted.fileSystem.within(planted.root), path, (piece) => {
    text += piece;
  });
  await tail.finish();
  expect(text.length).toBe(2 + 16 * 1024 * 1024);
  expect(text.startsWith("…\n")).toBe(true);
});

it("of a long text the fixes of few marks are tried out at a time, of a short one those of all", () => {
  const text = (keys: number) =>
    Array.from({ length: keys }, (_, i) => `batch_sizz${i}: ${i}\n`).join("");
  const marks = (keys: number): number => {
    const all = { start: 0, end: text(keys).length };
    return new Set(fixesAt(text(keys), all, { path: "run.yaml" }).map((fix) => fix.diagnosis)).size;
  };
  expect(marks(15)).toBeGreaterThanOrEqual(15);
  expect(marks(1_000)).toBeLessThanOrEqual(3);
});

it("no more names of metrics are listed than anybody could look through", () => {
  const metrics = new MetricColumns();
  const names = Array.from({ length: 12_000 }, (_, i) => [`m${i}`, i] as const);
  metrics.add({ step: 0, ...Object.fromEntries(names) });
  expect([metrics.names.length, metrics.isTruncated]).toEqual([10_000, true]);
});

it("of a run with more steps than anybody reads through the newest are shown, and how many are not", async () => {
  const rows = Array.from({ length: 7_000 }, (_, step) => `${JSON.stringify({ step })}\n`);
  await writeFile(join(run, "metrics.jsonl"), rows.join(""));
  const program = createFakeProgram({ fileSystem: planted.fileSystem });
  expect(await runProgram(program, ["show", run])).toBe(0);
  const shown = program.out.lines.join("\n");
  expect(shown).toContain("2,000 earlier steps not shown; all are in ");
  expect(shown).toMatch(/^ *2001 /m);
  expect(shown).toMatch(/^ *7000 /m);
  expect(shown).not.toMatch(/^ *2000 /m);
});
