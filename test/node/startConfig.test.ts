import { copyFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parseConfig } from "../../src/core/config/parse.ts";
import { readOverrides, startConfig } from "../../src/node/startConfig.ts";
import { beforeEachPlantedRun, type PlantedHome } from "../fakes/plantedHome.ts";

let planted: PlantedHome;
let run: string;

beforeEachPlantedRun((home, path) => {
  planted = home;
  run = path;
});

it("an implausible number of overrides is treated as damage, because each is compared with all others", async () => {
  const texts = (count: number) => Array.from({ length: count }, (_, i) => `a.b${i}=${i}`);
  const files = planted.fileSystem.within(run);
  await writeFile(join(run, "overrides.json"), JSON.stringify(texts(900)));
  expect(await readOverrides(files, run)).toHaveLength(900);
  await writeFile(join(run, "overrides.json"), JSON.stringify(texts(50_000)));
  await expect(readOverrides(files, run)).rejects.toMatchObject({ code: "run-file-invalid" });
});

it("a stored override without a value is read as null, so that the run can be resumed", async () => {
  const stored = ["max_tokens_total=", "seed=7", "system_prompt_template=1 + 1 ="];
  await writeFile(join(run, "overrides.json"), JSON.stringify(stored));
  const { text, path, overrides } = await startConfig(planted.fileSystem, {
    resume: run,
    overrides: [],
  });
  expect(overrides).toEqual(["max_tokens_total=null", "seed=7", "system_prompt_template=1 + 1 ="]);
  expect(parseConfig(text, { path, overrides })).toMatchObject({
    ok: true,
    config: { max_tokens_total: null },
  });
});

it("resume_from: auto finds the run of a file whose name is not a valid folder name", async () => {
  const configPath = join(dirname(planted.configPath), "my config.yaml");
  await copyFile(planted.configPath, configPath);
  const folder = await planted.stoppedRun("my-config");
  const asked = { configPath, overrides: ["resume_from=auto"] };
  expect(await startConfig(planted.fileSystem, asked)).toMatchObject({ folder });
});
