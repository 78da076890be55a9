/** A whole run, reported to a fake of W&B over real connections. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { FakeWandbServer } from "../core/tracking/wandb/fakeWandbServer.ts";
import { PROGRAM_FOLDER, readLines, runFolderWith, trainLocally } from "./localRun.ts";

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

const wandb = new FakeWandbServer();
const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { method, url, headers } = request;
  const answer = await wandb.send({
    method: method === "PUT" ? "PUT" : "POST",
    url: `http://localhost${url}`,
    headers: { ...(headers.authorization && { authorization: headers.authorization }) },
    body: Buffer.concat(parts).toString("utf8"),
  });
  response.statusCode = answer.status;
  response.end(await answer.text());
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The port of a server that listens on TCP.
  const { port } = server.address() as AddressInfo;
  process.env["WANDB_BASE_URL"] = `http://127.0.0.1:${port}`;
  process.env["WANDB_API_KEY"] = "k".repeat(40);
  process.env["DEMO_TOKEN"] = SECRET;
  process.env["WANDB_NOTES"] = `with ${SECRET}`;
  process.env["WANDB_RUN_GROUP"] = SECRET;
});
afterAll(() => {
  delete process.env["WANDB_BASE_URL"];
  delete process.env["WANDB_API_KEY"];
  delete process.env["DEMO_TOKEN"];
  delete process.env["WANDB_NOTES"];
  delete process.env["WANDB_RUN_GROUP"];
  server.close();
});

describe("a run with wandb: online", () => {
  it("is reported in rows, with tables of trajectories and how it ended", async () => {
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

  it("that could not receive its last evaluation receives it at a resume", async () => {
    wandb.runs.clear();
    wandb.fault = () => ({ status: 503 });
    const evaluation =
      "evaluation: { splits: { local/calculator: [test] }, at_start: false, num_samples: 2 }";
    const events = await trainLocally({ config: `${CONFIG}${evaluation}\n` });
    const started = events.find(({ kind }) => kind === "started");
    if (started?.kind !== "started") throw new Error("the run has started");
    wandb.fault = () => null;
    const { folder } = started;
    const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
    const resumed = resumeTraining({ ...base, folder, watch: () => undefined });
    expect((await resumed.ended).outcome).toBe("done");
    const summaries = wandb.run.files.get("wandb-summary.json")?.values() ?? [];
    expect(JSON.parse([...summaries].at(-1) ?? "{}")).toMatchObject({
      step: 2,
      "eval/local/calculator/test/greedy/reward_mean": expect.any(Number),
    });
  });

  it("has the evaluation after its last step in its history once, and the steps of a resume after it", async () => {
    wandb.runs.clear();
    const evaluation =
      "evaluation: { splits: { local/calculator: [test] }, at_start: false, num_samples: 2 }";
    const folder = await runFolderWith(`${CONFIG}${evaluation}\n`);
    const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
    const watch = (): void => undefined;
    const configPath = join(folder, "config.yaml");
    const run = (await startTraining({ ...base, configPath, watch }).ended).folder ?? "";
    await resumeTraining({ ...base, folder: run, watch }).ended;
    expect(await readLines(join(run, "metrics.jsonl"))).toMatchObject([
      { step: 0 },
      { step: 1 },
      { step: 2, evaluation_only: true, progress: { attempt: 1 } },
    ]);
    await resumeTraining({ ...base, folder: run, overrides: ["max_steps=3"], watch }).ended;
    expect(await readLines(join(run, "metrics.jsonl"))).toMatchObject([
      { step: 0 },
      { step: 1 },
      { step: 2, loss: expect.any(Number) },
      { step: 3, evaluation_only: true, progress: { attempt: 3 } },
    ]);
    const rows = wandb.rows();
    const metric = "eval/local/calculator/test/greedy/reward_mean";
    expect(rows.map((row) => [row["step"], metric in row])).toEqual([
      ...[
        [0, false],
        [1, false],
        [2, true],
      ],
      ...[
        [2, false],
        [3, true],
      ],
    ]);
    expect(new Set(rows.map((row) => row["_step"])).size).toBe(rows.length);
  });

  it("of a sweep is in the group of the sweep, also after a resume", async () => {
    const folder = await runFolderWith(CONFIG);
    const sweep = {
      id: "s",
      name: "demo-sweep",
      combination: 0,
      combinations: 2,
      settings: ["seed=1"],
    };
    const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
    const watch = (): void => undefined;
    const groups = (): readonly unknown[] =>
      wandb.requests.flatMap(({ body }) => {
        const name = /"groupName":("[^"]*")/.exec(String(body))?.[1];
        return name === undefined ? [] : [JSON.parse(name)];
      });
    wandb.requests.length = 0;
    const configPath = join(folder, "config.yaml");
    const { ended } = startTraining({
      ...base,
      configPath,
      overrides: ["max_steps=1"],
      sweep,
      watch,
    });
    const { folder: run } = await ended;
    expect(new Set(groups())).toEqual(new Set(["demo-sweep"]));
    wandb.requests.length = 0;
    const overrides = ["max_steps=2"];
    await resumeTraining({ ...base, folder: run ?? "", overrides, watch }).ended;
    expect(new Set(groups())).toEqual(new Set(["demo-sweep"]));
  });
});
