import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type StartRequest, startConfig } from "../../../src/node/startConfig.ts";
import { loadStart } from "../../../src/trainer/config/configFiles.ts";
import { stageStart } from "../../../src/trainer/stages/stageStart.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";

const CONFIG = `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
max_tokens_total: 1000
max_hours: 1
stages:
  gather: { method: collect, max_tasks: 40 }
  reinforce: { max_steps: 3 }
`;
const MEMBER = { id: "0f0f0f0f-0000-4000-8000-000000000000", name: "stages-stages" };
const TOKENS = { sampled: 300, prefill_cached: 0, prefill_uncached: 100, trained: 0 };
const HOST = "another-computer";

const fileSystem = filesOnDisk();
const folder = folderOfAllTests();
const path = join(folder, "stages.yaml");

async function writeSweep(sweepFolder: string, configPath: string): Promise<void> {
  const sweep = { schemaVersion: 1, ...MEMBER, runName: "stages", configPath };
  const runner = { pid: 1, host: HOST, heartbeatAtMs: 0 };
  const sweepFile = { ...sweep, grid: [], overrides: [], startedAtMs: 0, runner };
  await writeFile(join(sweepFolder, "sweep.json"), JSON.stringify(sweepFile));
}

beforeAll(async () => {
  const runs = join(folder, ".tinker-rl", "runs");
  await mkdir(join(runs, "stages-stages"), { recursive: true });
  await mkdir(join(runs, "gather"));
  await writeFile(path, CONFIG);
  await writeSweep(join(runs, "stages-stages"), path);
  // From a killed stage: without an end or a result.
  const run = aRunFile({
    name: "gather",
    host: HOST,
    phase: "running",
    configPath: path,
    sweep: { ...MEMBER, combination: 0, combinations: 2, settings: ["stage=gather"] },
    evaluation: { models: [{ name: "base", path: null, step: 0 }], digest: "d" },
  });
  await writeFile(join(runs, "gather", "run.json"), JSON.stringify(run));
  const usage = [400, 900].map((seconds) =>
    JSON.stringify({ for: "evaluation", step: 0, tokens: TOKENS, seconds }),
  );
  await writeFile(join(runs, "gather", "usage.jsonl"), `${usage.join("\n")}\n`);
});

const begin = () => overridesOf({ configPath: path, overrides: ["stage=reinforce"] });

async function overridesOf(
  request: StartRequest,
  resumedWith: readonly string[] = [],
): Promise<readonly string[]> {
  const start = await startConfig(fileSystem, request);
  const { config } = loadStart(start);
  const settings = [`stage=${config.stage}`];
  const member = { ...MEMBER, combination: 1, combinations: 2, settings };
  return (await stageStart(fileSystem, { start, config, member, resumedWith })).overrides;
}

describe("a stage after a finished one", () => {
  const NAMED = CONFIG.replace("method: collect, max_tasks: 40", "max_steps: 2");
  const runs = join(folder, "My runs #2");

  beforeAll(async () => {
    await mkdir(join(runs, "sweep"), { recursive: true });
    await mkdir(join(runs, "first"));
    const configPath = join(folder, "named.yaml");
    await writeSweep(join(runs, "sweep"), configPath);
    const member = { ...MEMBER, combination: 0, combinations: 2, settings: ["stage=gather"] };
    const run = aRunFile({ name: "first", phase: "done", configPath, sweep: member });
    await writeFile(join(runs, "first", "run.json"), JSON.stringify(run));
  });

  async function configOf(settings: string) {
    const configPath = join(folder, "named.yaml");
    const text = NAMED.replace("{ max_steps: 3 }", `{ max_steps: 3${settings} }`);
    await writeFile(configPath, `log_path: "My runs #2"\n${text}`);
    const overrides = await overridesOf({ configPath, overrides: ["stage=reinforce"] });
    return loadStart(await startConfig(fileSystem, { configPath, overrides })).config;
  }

  it("starts from its weights, even if the folder's name needs quoting in YAML", async () => {
    expect((await configOf("")).init_from).toBe("My runs #2/first");
  });

  it("refers to its run wherever it names weights", async () => {
    const teacher = '{ checkpoint: "stage:gather", coef: 0.5 }';
    const own = `environments: { local/calculator: { teacher: ${teacher} } }`;
    const config = await configOf(
      `, kl_coef: 0.1, kl_reference: "stage:gather@1", teacher: ${teacher}, ${own}`,
    );
    const checkpoint = "My runs #2/first";
    expect(config).toMatchObject({
      kl_reference: `${checkpoint}@1`,
      teacher: { checkpoint, coef: 0.5 },
      environments: { "local/calculator": { teacher: { checkpoint, coef: 0.5 } } },
    });
  });

  it("starts from the base model if configured", async () => {
    expect((await configOf(", init_from: null")).init_from).toBeNull();
  });
});

describe("a stage that is trained alone", () => {
  const alone = async (settings: string, overrides: readonly string[]) => {
    const configPath = join(folder, "alone.yaml");
    const trained = CONFIG.replace("method: collect, max_tasks: 40", "max_steps: 2");
    await writeFile(configPath, `${settings}${trained}`);
    const start = await startConfig(fileSystem, { configPath, overrides });
    const { config } = loadStart(start);
    return stageStart(fileSystem, { start, config, member: undefined });
  };

  it.each([
    ["", ["stage=reinforce"]],
    ["stage: reinforce", []],
  ])("starts from the previous stage, by file or by override: %s", async (...chosen) => {
    await expect(alone(...chosen)).rejects.toMatchObject({ code: "stage-not-run" });
  });

  it("that finds no run to resume starts like a new one", async () => {
    const beginning = alone("resume_from: auto", ["stage=reinforce"]);
    await expect(beginning).rejects.toMatchObject({ code: "stage-not-run" });
  });

  it("that resumes a run starts from no other", async () => {
    const { overrides } = await alone("resume_from: tinker://a/weights/b", ["stage=reinforce"]);
    expect(overrides).toEqual(["stage=reinforce"]);
  });
});

describe("the common budget of stages", () => {
  it("is reduced by the tokens and the time of all attempts at a stage that was killed before its end", async () => {
    const overrides = await begin();
    expect(overrides).toContain("max_tokens_total=200");
    expect(overrides).toContain("max_hours=0.75");
  });

  it("is not reduced by the stage that is resumed, however its folder is written", async () => {
    const runs = join(folder, ".tinker-rl", "runs");
    const overrides = ["stage=gather", `log_path=${runs}/`];
    const resumed = await overridesOf({ resume: join(runs, "gather"), overrides });
    expect(resumed).toContain("max_tokens_total=1000");
    expect(resumed).toContain("max_hours=1");
  });

  it("does not change the budget given to a resume", async () => {
    const given = ["max_tokens_total=5000"];
    const overrides = ["stage=gather", "max_tokens_total=1000", ...given];
    const resume = join(folder, ".tinker-rl", "runs", "gather");
    const resumed = await overridesOf({ resume, overrides }, given);
    expect(resumed).toEqual([...overrides, "max_hours=1"]);
  });

  it("leaves a resumed stage its own if the file has none", async () => {
    const prices = "{sampled: 1, prefill_cached: 1, prefill_uncached: 1, trained: 1}";
    const overrides = ["stage=gather", `prices=${prices}`, "max_cost_usd=0.5"];
    const resume = join(folder, ".tinker-rl", "runs", "gather");
    const resumed = await overridesOf({ resume, overrides });
    expect(resumed).toEqual([...overrides, "max_tokens_total=1000", "max_hours=1"]);
  });
});
