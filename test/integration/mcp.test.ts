/** The built program as an MCP or language server: runs that it starts outlive it, and respect the budget. */

import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { folderOfAllTests } from "../fakes/onDisk.ts";
import { type Assistant, assistantOf } from "../server/mcp/anAssistant.ts";
import { eventually } from "./controlledRun.ts";
import { PROGRAM_FOLDER, runProgram } from "./trainProgram.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator:
    splits: { train: { num_samples: 64 } }
    num_rollouts: 4
    nonterminal_reward: 0
batch_size: 4
max_steps: 4
save_every: 0
rolling_save_every: 1
evaluation:
  splits: { local/calculator: [test] }
  num_samples: 8
  at_start: true
  at_end: false
`;
/** USD per million tokens, so that a few steps have a cost. */
const PRICES =
  "prices: { sampled: 440, prefill_cached: 39, prefill_uncached: 195, trained: 600 }\n";

const root = folderOfAllTests();
const open: Assistant[] = [];

beforeAll(async () => {
  await writeFile(join(root, "tinker-config.yaml"), `${CONFIG}run_name: priced\n${PRICES}`);
  await writeFile(join(root, "free.tinker.yaml"), `${CONFIG}run_name: free\n`);
});
afterAll(async () => {
  await Promise.all(open.map((each) => each.close()));
});

function variables() {
  const { PATH, HOME } = process.env;
  const cache = join(root, "cache");
  const store = join(root, "checkpoints");
  return { PATH: PATH ?? "", HOME: HOME ?? "", XDG_CACHE_HOME: cache, TINKER_RL_STORE: store };
}

async function assistant(...flags: readonly string[]): Promise<Assistant> {
  const args = [join(PROGRAM_FOLDER, "tinker-rl.js"), "mcp", "--root", root, ...flags];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    env: variables(),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  const opened = assistantOf(client, async () => undefined);
  open.push(opened);
  return opened;
}

const run = (name: string): string => `.tinker-rl/runs/${name}`;

/** Resolves with the listed run once it is in one of the phases. */
function inPhase(who: Assistant, name: string, ...phases: readonly string[]) {
  return eventually(async () => {
    const { runs } = await who.ask("listRuns");
    const found = runs.find((each: { run: string }) => each.run === name);
    return phases.includes(found?.phase) ? found : null;
  });
}

/** The configuration that the run in `name` trains with, once its trainer has written it. */
function resolved(name: string) {
  return eventually(async () => {
    const text = await readFile(join(root, name, "config.resolved.json"), "utf8").catch(() => null);
    return text === null ? null : JSON.parse(text);
  });
}

it.each(["mcp", "lsp"])(
  "%s exits without an error when its input is an empty file",
  async (command) => {
    expect(await runProgram([command], variables())).toEqual({ code: 0, stdout: "", stderr: "" });
  },
);

it("answers calls in progress when the input ends", async () => {
  const request = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`;
  const client = {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "test", version: "1" },
  };
  const call = { name: "validateConfig", arguments: { config: "tinker-config.yaml" } };
  const input = [
    request(1, "initialize", client),
    ...[2, 3].map((id) => request(id, "tools/call", call)),
  ];
  const { stdout } = await runProgram(["mcp", "--root", root], variables(), input.join(""));
  const ids = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  expect(ids).toEqual([1, 2, 3]);
});

describe("an assistant that may start and evaluate within a budget", () => {
  it("starts nothing of unknown cost and nothing over the budget, and gives each run its own budget", async () => {
    const nothing = await assistant("--allow", "start,evaluate", "--max-usd", "100");
    await expect(nothing.ask("startTraining", { config: "tinker-config.yaml" })).rejects.toThrow(
      "No past run of this workspace",
    );
    const first = await runProgram(
      ["train", "-c", join(root, "tinker-config.yaml"), "--max_steps", "2"],
      variables(),
    );
    expect(first.code).toBe(0);
    const { structuredContent } = await nothing.client.callTool({
      name: "estimate",
      arguments: { config: "tinker-config.yaml" },
    });
    const { costUsd, restsOn } = structuredContent as {
      costUsd: { high: number };
      restsOn: { run: string };
    };
    expect(restsOn.run).toBe(run("priced"));

    // A copy could come from anyone.
    await cp(join(root, run("priced")), join(root, "other", run("priced")), { recursive: true });
    await cp(join(root, "tinker-config.yaml"), join(root, "other", "tinker-config.yaml"));
    for (const [tool, more] of [
      ["startTraining", {}],
      ["evaluateModels", { models: ["base"] }],
    ] as const) {
      const started = nothing.ask(tool, { config: "other/tinker-config.yaml", ...more });
      await expect(started).rejects.toThrow("was not started on this computer");
    }

    const limit = Math.ceil(costUsd.high * 100) / 100;
    // The most that a budget of two cents can cost: the run ends after the step that reaches it.
    const left = 0.05 + Math.ceil((0.02 + costUsd.high / 4) * 100) / 100;
    const most = (limit + left).toFixed(2);
    const who = await assistant("--allow", "start,evaluate", "--max-usd", most);
    const started = await who.ask("startTraining", { config: "tinker-config.yaml" });
    expect(started).toMatchObject({ run: run("priced-2"), limitUsd: limit });
    expect(started.leftUsd).toBeCloseTo(left, 6);
    expect(await resolved(run("priced-2"))).toMatchObject({ max_cost_usd: limit, max_steps: 4 });
    // An assistant cannot raise it.
    for (const settings of [[], ["max_cost_usd=50"], ["max_steps=3", "max_cost_usd=1000"]]) {
      const again = who.ask("startTraining", { config: "tinker-config.yaml", settings });
      await expect(again).rejects.toThrow("are left");
    }
    await expect(
      who.ask("startTraining", { config: "tinker-config.yaml", settings: ["prices.sampled=0"] }),
    ).rejects.toThrow("cannot be set here");
    await expect(
      who.ask("evaluateModels", {
        config: "tinker-config.yaml",
        models: ["base", run("priced")],
        settings: ["evaluation.rollouts_per_task=16"],
      }),
    ).rejects.toThrow("are left");
    // A smaller one fits, and its budget ends it.
    const cheap = await who.ask("startTraining", {
      config: "tinker-config.yaml",
      settings: ["max_cost_usd=0.02"],
    });
    expect(cheap.limitUsd).toBe(0.02);
    expect(started.leftUsd - cheap.leftUsd).toBeGreaterThan(0.02 + costUsd.high / 8);
    await who.close();

    // Both continue without the server that started them.
    await inPhase(nothing, run("priced-2"), "done");
    const cut = await inPhase(nothing, cheap.run, "done", "stopped");
    expect(cut.ending.code).toBe("cost-budget");
    expect(cut.steps).toBeLessThan(4);
  });

  it("evaluates free of charge on this computer", async () => {
    const who = await assistant("--allow", "evaluate");
    const { tools } = await who.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain("startTraining");
    const answer = await who.ask("evaluateModels", {
      config: "free.tinker.yaml",
      models: ["base"],
    });
    expect(answer.limitUsd).toBeNull();
    await inPhase(who, answer.run, "done");
    const { evaluations } = await who.ask("readMetrics", { run: answer.run });
    expect(evaluations).toHaveLength(1);
  });
});

describe("an assistant that may control runs", () => {
  it("pauses, changes, continues and stops a run, each only when allowed", async () => {
    const who = await assistant("--allow", "start,stop,pause,settings");
    const settings = ["max_steps=10000", "evaluation.at_start=false"];
    const { run: name } = await who.ask("startTraining", { config: "free.tinker.yaml", settings });
    await inPhase(who, name, "running");
    await who.ask("pauseRun", { run: name });
    await inPhase(who, name, "paused");
    const changed = await who.ask("changeSettings", {
      run: name,
      settings: ["learning_rate=2e-4"],
    });
    expect(changed.message).toContain("learning_rate");
    for (const setting of ["max_cost_usd=100", "prices=null", "wandb=online", "batch_size=2"]) {
      await expect(who.ask("changeSettings", { run: name, settings: [setting] })).rejects.toThrow();
    }
    await who.ask("continueRun", { run: name });
    await inPhase(who, name, "running");
    const reader = await assistant();
    await expect(reader.ask("stopRun", { run: name })).rejects.toThrow("--allow");
    await who.ask("stopRun", { run: name });
    const stopped = await inPhase(reader, name, "stopped");
    expect(stopped.ending.code).toBe("stopped");
    await expect(who.ask("stopRun", { run: name })).rejects.toThrow("is not being trained now");
  });
});
