import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { launchConfig } from "../../../src/host/runs/launchConfig.ts";
import { textWith } from "../../core/config/configText.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { aTrainingRequest } from "../../fakes/aTrainingRequest.ts";
import { folderOfEachTest } from "../../fakes/onDisk.ts";

const folder = folderOfEachTest();
const path = join(folder, "c.yaml");

beforeEach(() => writeFile(path, textWith("max_steps: 9")));

/** A run folder at `place` that names the configuration at `configPath`. */
async function aRun(place: string, configPath = path): Promise<string> {
  const run = join(folder, place);
  await mkdir(run, { recursive: true });
  const file = aRunFile({ name: "r", configPath });
  await writeFile(join(run, "run.json"), JSON.stringify(file));
  return run;
}

it("a new run uses the file with its overrides, those from the setting first", async () => {
  const request = aTrainingRequest(path, {
    overrides: ["max_steps=2"],
    settingOverrides: ["seed=3"],
  });
  const overrides = [{ text: "seed=3" }, { text: "max_steps=2" }];
  const parsed = { ok: true, config: { seed: 3, max_steps: 2 }, overrides };
  expect(await launchConfig(request)).toMatchObject({ path, parsed, project: folder });
});

it("a resume uses the run's recorded overrides, which may need other keys than the file", async () => {
  const resume = await aRun("runs/r");
  await writeFile(join(resume, "overrides.json"), JSON.stringify(["model_name=Qwen/Qwen3-8B"]));
  const config = await launchConfig(aTrainingRequest(path, { resume, overrides: ["max_steps=2"] }));
  const overrides = [{ text: "model_name=Qwen/Qwen3-8B" }, { text: "max_steps=2" }];
  expect(config).toMatchObject({ path, parsed: { overrides } });
});

it("a resume uses the run's own copy if the file no longer exists", async () => {
  const gone = join(folder, "gone.yaml");
  const resume = await aRun("runs/r", gone);
  await writeFile(join(resume, "config.resolved.json"), textWith("seed: 7"));
  expect(await launchConfig(aTrainingRequest(gone, { resume }))).toMatchObject({
    path: gone,
    parsed: { config: { seed: 7 } },
  });
});

it("there is no configuration when the trainer will find none either", async () => {
  const resume = await aRun("runs/r");
  await writeFile(join(resume, "overrides.json"), "damaged");
  expect(await launchConfig(aTrainingRequest(path, { resume }))).toBeNull();
  expect(await launchConfig(aTrainingRequest(join(folder, "gone.yaml")))).toBeNull();
  expect(await launchConfig(aTrainingRequest(path, { resume: folder }))).toBeNull();
});

describe("overrides", () => {
  const read = async (...overrides: readonly string[]) => {
    await writeFile(path, textWith("secrets: { token: null }"));
    return launchConfig(aTrainingRequest(path, { overrides }));
  };

  it.each(["secrets.token=hunter-2", "secrets={token: hunter-2}"])(
    "that set a secret are rejected without showing it: %s",
    async (override) => {
      const refused = read("max_steps=3", override);
      await expect(refused).rejects.toThrow(/^secrets(\.token)? is set in a file/);
      await expect(refused).rejects.not.toThrow(/hunter/);
    },
  );

  it("may set everything else, and allow a secret to be looked up", async () => {
    const config = await read("max_steps=3", "secrets.token=null", "learning_rate = 1e-4");
    expect(config).toMatchObject({ parsed: { ok: true } });
  });
});

describe("the user's permissions", () => {
  const projectFor = async (changes: Parameters<typeof aTrainingRequest>[1], configPath = path) =>
    (await launchConfig(aTrainingRequest(configPath, changes)))?.project;

  it("apply to the configuration's folder, its own runs, and tasks of a workspace around it", async () => {
    expect(await projectFor({ project: folder })).toBe(folder);
    expect(await projectFor({ resume: await aRun(".tinker-rl/runs/r") })).toBe(folder);
    await writeFile(path, textWith("log_path: logs"));
    expect(await projectFor({ resume: await aRun("logs/r") })).toBe(folder);
  });

  it("do not apply to a run folder elsewhere that names the configuration", async () => {
    const stranger = await aRun("downloads/.tinker-rl/runs/r");
    expect(await projectFor({ resume: stranger })).toBe(stranger);
    await writeFile(join(stranger, "overrides.json"), '["log_path=downloads/.tinker-rl/runs"]');
    expect(await projectFor({ resume: stranger })).toBe(stranger);
  });

  it("do not apply to a run folder whose own copy names its project", async () => {
    const gone = join(folder, "gone.yaml");
    const stranger = await aRun("downloads/r", gone);
    const copy = textWith("log_path: downloads");
    await writeFile(join(stranger, "config.resolved.json"), copy);
    expect(await projectFor({ resume: stranger }, gone)).toBe(stranger);
  });

  it("do not apply to a task of another folder that names the configuration", async () => {
    const stranger = join(folder, "downloads");
    await mkdir(stranger);
    expect(await projectFor({ project: stranger })).toBe(stranger);
  });
});
