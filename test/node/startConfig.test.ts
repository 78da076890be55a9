import { copyFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { readOverrides, startConfig } from "../../src/node/startConfig.ts";
import { beforeEachPlantedRun, type PlantedHome } from "../fakes/plantedHome.ts";

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

it("resume_from: auto finds the run of a file whose name no folder can have", async () => {
  const configPath = join(dirname(planted.configPath), "my config.yaml");
  await copyFile(planted.configPath, configPath);
  const folder = await planted.stoppedRun("my-config");
  const asked = { configPath, overrides: ["resume_from=auto"] };
  expect(await startConfig(planted.fileSystem, asked)).toMatchObject({ folder });
});
