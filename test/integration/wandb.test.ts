/** A whole run, reported to a fake W&B over real connections. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startTraining } from "../../src/trainer/trainer.ts";
import type { FakeWandbServer } from "../core/tracking/wandb/fakeWandbServer.ts";
import { startWandbService, type WandbService } from "../resilience/outage/wandbService.ts";
import { resume, runIn, train } from "./controlledRun.ts";
import { readLines, runFolderWith, trainLocally } from "./localRun.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

const SECRET = "open-sesame-9731";
const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 4
max_steps: 2
save_every: 1
wandb: online
wandb_project_name: training
secrets: { demo_token: null }
`;
const EVALUATED = `${CONFIG}evaluation: { splits: { local/calculator: [test] }, at_start: false, num_samples: 2 }
`;

let service: WandbService;
let wandb: FakeWandbServer;

beforeAll(async () => {
  service = await startWandbService();
  wandb = service.fake;
  const variables = {
    WANDB_BASE_URL: service.url,
    WANDB_API_KEY: "k".repeat(40),
    DEMO_TOKEN: SECRET,
    WANDB_NOTES: `with ${SECRET}`,
    WANDB_RUN_GROUP: SECRET,
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  service.close();
});

describe("a run with wandb: online", () => {
  it("is reported in rows, with tables of trajectories and its ending", async () => {
    const events = await trainLocally({ config: CONFIG });
    const notices = events.flatMap((event) => (event.kind === "notice" ? [event.message] : []));
    expect(notices).toEqual([expect.stringContaining(`/ada/training/runs/${wandb.run.name}`)]);
    expect(events.filter(({ kind }) => kind === "warning")).toEqual([]);
    expect(wandb.rows()).toMatchObject([
      { step: 0, num_rollouts: expect.any(Number), rollouts: { _type: "table-file" } },
      { step: 1, "rollout/reward/mean": expect.any(Number), rollouts: { nrows: 16 } },
    ]);
    expect(wandb.run).toMatchObject({ exitCode: 0, attempts: 1 });
    expect(wandb.violations).toEqual([]);
    const bodies = wandb.requests.map(({ body }) => String(body)).join("\n");
    expect(bodies).toContain("with ***");
    expect(bodies).not.toContain(SECRET);
  });

  it("that failed to upload its last evaluation uploads it at a resume", async () => {
    wandb.runs.clear();
    wandb.fault = () => ({ status: 503 });
    const project = await runFolderWith(EVALUATED);
    await train(project).ended;
    wandb.fault = () => null;
    expect((await resume(project).ended).outcome).toBe("done");
    const summaries = wandb.run.files.get("wandb-summary.json")?.values() ?? [];
    expect(JSON.parse([...summaries].at(-1) ?? "{}")).toMatchObject({
      step: 2,
      "eval/local/calculator/test/greedy/reward_mean": expect.any(Number),
    });
  });

  it("has the evaluation after its last step in its history once, followed by the steps of a resume", async () => {
    wandb.runs.clear();
    const project = await runFolderWith(EVALUATED);
    const rowsOf = () => readLines(join(runIn(project), "metrics.jsonl"));
    await train(project).ended;
    await resume(project).ended;
    expect(await rowsOf()).toMatchObject([
      { step: 0 },
      { step: 1 },
      { step: 2, evaluation_only: true, progress: { attempt: 1 } },
    ]);
    await resume(project, "max_steps=3").ended;
    expect(await rowsOf()).toMatchObject([
      { step: 0 },
      { step: 1 },
      { step: 2, loss: expect.any(Number) },
      { step: 3, evaluation_only: true, progress: { attempt: 3 } },
    ]);
    const rows = wandb.rows();
    const metric = "eval/local/calculator/test/greedy/reward_mean";
    expect(rows.map((row) => [row["step"], metric in row])).toEqual([
      [0, false],
      [1, false],
      [2, true],
      // From the resume.
      [2, false],
      [3, true],
    ]);
    expect(new Set(rows.map((row) => row["_step"])).size).toBe(rows.length);
  });

  it("in a sweep is in the group of the sweep, also after a resume", async () => {
    const project = await runFolderWith(CONFIG);
    const member = { id: "s", name: "demo-sweep", combination: 0, combinations: 2 };
    const groups = (): readonly unknown[] =>
      wandb.requests.flatMap(({ body }) => {
        const name = /"groupName":("[^"]*")/.exec(String(body))?.[1];
        return name === undefined ? [] : [JSON.parse(name)];
      });
    wandb.requests.length = 0;
    await startTraining({
      owner: "terminal",
      programFolder: PROGRAM_FOLDER,
      configPath: join(project, "config.yaml"),
      overrides: ["max_steps=1"],
      sweep: { ...member, settings: ["seed=1"] },
      watch: () => undefined,
    }).ended;
    expect(new Set(groups())).toEqual(new Set(["demo-sweep"]));
    wandb.requests.length = 0;
    await resume(project, "max_steps=2").ended;
    expect(new Set(groups())).toEqual(new Set(["demo-sweep"]));
  });
});
