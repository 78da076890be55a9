/** Whole runs of the built program, reported to the kit's fake of the W&B server. */

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { flattenMetrics, type MetricsTree } from "../../src/core/runFolder/metrics/metricsTree.ts";
import { runIn } from "../integration/controlledRun.ts";
import { readLines, runFolderWith } from "../integration/localRun.ts";
import { type Ended, runProgram, startProgram } from "../integration/trainProgram.ts";
import { type FakeWandb, type RunState, startFakeWandb, WANDB_KIT } from "./wandbKit.ts";

const KEY = `local-${"k".repeat(40)}`;
const SECRET = "value-of-a-secret-1234";
const STEPS = 5;
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator:
    splits: { train: {} }
    num_rollouts: 4
    nonterminal_reward: 0
    secrets: { tool_token: ${SECRET} }
batch_size: 4
max_steps: ${STEPS}
save_every: 2
rolling_save_every: 1
evaluation:
  splits: { local/calculator: [test] }
  num_samples: 4
wandb: online
wandb_project_name: training
wandb_run_name: my training
`;

describe.skipIf(WANDB_KIT === "")("a run reported to W&B", () => {
  const folders: string[] = [];
  let fake: FakeWandb;
  beforeEach(async () => {
    fake = await startFakeWandb({ keys: [KEY] });
  });
  afterEach(() => fake.stop());
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  const variables = () => ({ WANDB_BASE_URL: fake.url, WANDB_API_KEY: KEY });

  async function newFolder(config = CONFIG): Promise<string> {
    const folder = await runFolderWith(config);
    folders.push(folder);
    return folder;
  }

  const train = (folder: string): Promise<Ended> =>
    runProgram(["train", "--config_path", join(folder, "config.yaml")], variables());
  const resume = (folder: string): Promise<Ended> =>
    runProgram(["resume", runIn(folder)], variables());

  /** The only run on the server, with no rule violated. */
  function reportedRun(): RunState {
    const { runs, violations } = fake.state();
    expect(violations).toEqual([]);
    const [run, ...others] = Object.values(runs);
    if (run === undefined) throw new Error("The server knows no run.");
    expect(others).toEqual([]);
    expect(run.problems).toEqual([]);
    return run;
  }

  async function metrics(folder: string): Promise<readonly object[]> {
    const rows = await readLines(join(runIn(folder), "metrics.jsonl"));
    return rows.map((row) => flattenMetrics(row as MetricsTree));
  }

  /** Rows without W&B's own values, and without tables. */
  const reported = ({ history }: RunState) =>
    history.map(({ _step, rollouts: _, ...row }) => {
      expect(Number.isInteger(_step)).toBe(true);
      return row;
    });

  it("has its rows, its configuration without secrets, and tables of trajectories", async () => {
    const folder = await newFolder();
    const ended = await train(folder);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toMatch(/Weights & Biases: http:\S+\/tester\/training\/runs\/[a-z0-9]{8}/);
    const run = reportedRun();
    expect(run).toMatchObject({ state: "finished", exitcode: 0, displayName: "my training" });
    expect(run.tags).toEqual(["local/calculator", "local/tiny-tool", "tinker-rl"]);
    expect(reported(run)).toEqual(await metrics(folder));
    expect(run.config).toMatchObject({ batch_size: 4, wandb: "online", learning_rate: 0.001 });
    const summary = Object.keys(run.summary).filter((name) => name.startsWith("eval/"));
    expect(summary).toContain("eval/local/calculator/test/greedy/reward_mean");
    expect(run.files["tinker-config.yaml"]).toMatchObject({ announced: true });
    const tables = run.history.map((row) => "rollouts" in row);
    expect(tables).toEqual([false, true, false, true, true, false]);
    expect(run.history.at(-1)).toMatchObject({ evaluation_only: true, step: STEPS });
    expect(run.console.map(({ text }) => text)).toContain("Attempt 1 starts.");
    expect(JSON.stringify(fake.requests)).not.toContain(SECRET);
    const state: unknown = JSON.parse(await readFile(join(runIn(folder), "state.json"), "utf8"));
    expect(state).toMatchObject({ run_ids: { wandb: run.id } });
  });

  it("is complete whatever faults requests meet", async () => {
    fake.addFaults([
      { match: "graphql:UpsertBucket", nth: 1, do: "lost" },
      { match: "put", nth: 1, do: "reset" },
      { match: "put", nth: 3, do: "lost" },
      // Both of the same rows: a server that has received the end of a run accepts no repeat of it.
      { match: "file_stream", nth: 1, do: "lost" },
      { match: "file_stream", nth: 2, do: "garbage" },
      { match: "file_stream", nth: 4, do: "status", status: 500 },
      { match: "graphql:CreateRunFiles", nth: 2, do: "status", status: 429, retryAfter: "0.2" },
    ]);
    const folder = await newFolder();
    expect(await train(folder)).toMatchObject({ code: 0, stderr: "" });
    expect(reported(reportedRun())).toEqual(await metrics(folder));
    expect(reportedRun().state).toBe("finished");
    expect(fake.requests.filter(({ fault }) => fault).length).toBeGreaterThanOrEqual(6);
  });

  it("continues as one run after every kill, whatever faults requests meet, with every row once", async () => {
    fake.addFaults([
      { match: "file_stream", nth: 2, do: "lost" },
      { match: "graphql:RunResumeStatus", nth: 2, do: "garbage" },
      { match: "file_stream", nth: 3, do: "garbage" },
      { match: "put", nth: 3, times: 2, do: "garbage" },
      { match: "graphql:UpsertBucket", nth: 6, do: "reset" },
    ]);
    const folder = await newFolder(CONFIG.replace(`max_steps: ${STEPS}`, "max_steps: 40"));
    const config = join(folder, "config.yaml");
    for (const step of [3, 7, 12]) {
      const args = step === 3 ? ["train", "--config_path", config] : ["resume", runIn(folder)];
      const child = startProgram(args, variables());
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.stdout?.on("data", (text) => {
        if (String(text).includes(`step ${String(step).padStart(2)}`)) child.kill("SIGKILL");
      });
      await closed;
    }
    await writeFile(config, CONFIG.replace(`max_steps: ${STEPS}`, "max_steps: 14"));
    expect(await resume(folder)).toMatchObject({ code: 0 });
    const run = reportedRun();
    expect(reported(run)).toEqual(await metrics(folder));
    expect(run.history.map(({ step }) => step)).toEqual(Array.from({ length: 15 }, (_, i) => i));
    const tables = run.history.map((row) => "rollouts" in row);
    expect(tables).toEqual(run.history.map((_, step) => step % 2 === 1));
    expect(run.state).toBe("finished");
    expect(fake.requests.filter(({ fault }) => fault).length).toBeGreaterThanOrEqual(5);
  });

  it("is marked as failed there when it fails", async () => {
    const config = CONFIG.replace(
      "nonterminal_reward: 0",
      "nonterminal_reward: 0\n    max_reward: 0",
    );
    const folder = await newFolder(`${config}max_consecutive_empty_steps: 2\n`);
    expect(await train(folder)).toMatchObject({ code: 4 });
    expect(reportedRun()).toMatchObject({ state: "failed", exitcode: 1 });
  });

  it("stops and saves when Stop is pressed on its page, and can be resumed", async () => {
    fake.addFaults([{ match: "file_stream", nth: 1, do: "stop" }]);
    const folder = await newFolder(CONFIG.replace(`max_steps: ${STEPS}`, "max_steps: 400"));
    const stopped = await train(folder);
    expect(stopped).toMatchObject({ code: 3 });
    expect(stopped.stdout).toContain("Stop was pressed");
    const state: unknown = JSON.parse(await readFile(join(runIn(folder), "state.json"), "utf8"));
    const before = (state as { readonly step: number }).step;
    expect(reportedRun()).toMatchObject({ state: "finished", exitcode: 0 });
    expect(reportedRun().history).toHaveLength(before);
    await writeFile(
      join(folder, "config.yaml"),
      CONFIG.replace(`max_steps: ${STEPS}`, `max_steps: ${before + 3}`),
    );
    // The page still says stopped: that request was honored.
    expect(await resume(folder)).toMatchObject({ code: 0 });
    expect(reported(reportedRun())).toEqual(await metrics(folder));
    expect(reportedRun().attempts).toHaveLength(2);
  });

  it("trains through an outage, reports it, and is complete after a resume", async () => {
    fake.addFaults([{ match: "*", times: -1, do: "status", status: 503 }]);
    const folder = await newFolder();
    const ended = await train(folder);
    expect(ended.code).toBe(0);
    expect(ended.stdout + ended.stderr).toMatch(
      /Not everything was sent to Weights & Biases \(status 503: planned fault\)/,
    );
    expect(fake.state().runs).toEqual({});
    await fake.stop();
    fake = await startFakeWandb({ keys: [KEY] });
    expect(await resume(folder)).toMatchObject({ code: 0 });
    expect(reported(reportedRun())).toEqual(await metrics(folder));
    // The evaluation after the last step has a row, too.
    expect(reportedRun().history).toHaveLength(STEPS + 1);
  });

  it("does not start without a key, and names it", async () => {
    const folder = await newFolder();
    const args = ["train", "--config_path", join(folder, "config.yaml")];
    const { code, stderr } = await runProgram(args, { WANDB_BASE_URL: fake.url, HOME: folder });
    expect(code).toBe(2);
    expect(stderr).toContain("WANDB_API_KEY");
  });
});
