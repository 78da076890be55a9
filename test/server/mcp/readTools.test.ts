/** What an assistant can read, limited to its folder. */

import { cp, mkdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ALLOWABLE } from "../../../src/server/mcp/permission.ts";
import { MAX_CHARS } from "../../../src/server/tools/toolText.ts";
import { writeComparedRuns } from "../../fakes/comparedRuns.ts";
import { filesOnDisk, folderOfAllTests } from "../../fakes/onDisk.ts";
import { writeHardRun } from "../dashboard/writtenRun.ts";
import { type Assistant, anAssistant, NOTHING } from "./anAssistant.ts";

const CONFIG = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4 }
batch_size: 4
`;
const OUTSIDE = "outside-4f1c9a7e2b8d";
const KEY = "tml-key-0123456789abcdef";

const folder = folderOfAllTests();
const root = join(folder, "project");
let assistant: Assistant;
const fileSystem = filesOnDisk();

beforeAll(async () => {
  await mkdir(join(root, "deep"), { recursive: true });
  await mkdir(join(folder, "elsewhere"));
  await writeFile(join(root, "tinker-config.yaml"), CONFIG);
  await writeFile(join(root, "deep", "other.yaml"), `# tinker-rl: config\n${CONFIG}`);
  await writeFile(join(root, "deep", "unrelated.yaml"), "a: 1\n");
  await writeFile(join(root, ".env"), `TINKER_API_KEY=${KEY}\n`);
  await writeHardRun(fileSystem, join(root, ".tinker-rl", "runs"));
  writeComparedRuns(join(root, ".tinker-rl", "runs"), { count: 2, steps: 30, tasks: 20 });
  // Files outside, and links that lead there.
  await writeFile(join(folder, "elsewhere", "tinker-config.yaml"), `model_name: ${OUTSIDE}\n`);
  await writeHardRun(fileSystem, join(folder, "elsewhere", OUTSIDE));
  await writeFile(
    join(root, "leading.tinker.yaml"),
    `${CONFIG}log_path: ${join(folder, "elsewhere", OUTSIDE)}\n`,
  );
  await symlink(join(folder, "elsewhere"), join(root, "linked"));
  await symlink(
    join(folder, "elsewhere", OUTSIDE, "hard"),
    join(root, ".tinker-rl", "runs", "way-out"),
  );
  await symlink(
    join(folder, "elsewhere", "tinker-config.yaml"),
    join(root, "deep", "tinker-config.yaml"),
  );
  assistant = await anAssistant(root);
});
afterAll(async () => {
  await assistant.close();
});

describe("an assistant with read-only access", () => {
  it("finds each possible tool in the documentation", async () => {
    const all = await anAssistant(root, {
      permission: { ...NOTHING, allowed: new Set(ALLOWABLE) },
    });
    const { tools } = await all.client.listTools();
    await all.close();
    const documented = await readFile("docs/agents.md", "utf8");
    expect(tools.length).toBeGreaterThan(9);
    for (const { name } of tools) expect(documented).toContain(`\`${name}\``);
  });

  it("is offered only read tools, each with a schema and a description", async () => {
    const { tools } = await assistant.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...["listRuns", "readMetrics", "readRollouts", "validateConfig", "explainAlarms"],
      ...["searchRollouts", "compareRuns", "configReference", "estimate"],
    ]);
    for (const { annotations, description, inputSchema } of tools) {
      expect(annotations?.readOnlyHint).toBe(true);
      expect(description?.length).toBeGreaterThan(50);
      expect(inputSchema.type).toBe("object");
    }
  });

  it.each([
    "startTraining",
    "evaluateModels",
    "stopRun",
    "pauseRun",
    "changeSettings",
    "deleteRun",
  ])("gets no tool %s, and the reason", async (name) => {
    await expect(assistant.ask(name, { run: "hard" })).rejects.toThrow("--allow");
  });

  it("lists the runs below its folder, and no run that a link or a configuration leads to", async () => {
    const { runs } = await assistant.ask("listRuns");
    const phases = Object.fromEntries(
      runs.map(({ run, phase }: { run: string; phase: string }) => [run, phase]),
    );
    expect(phases).toEqual({
      ".tinker-rl/runs/hard": "running",
      ".tinker-rl/runs/lr-1e-5-seed-1": "done",
      ".tinker-rl/runs/lr-1e-5-seed-2": "done",
      ".tinker-rl/runs/way-out": "unreadable",
    });
    await expect(assistant.ask("readMetrics", { run: "way-out" })).rejects.toThrow("symbolic link");
  });

  it("lists runs although a configuration names a file as the folder of its runs", async () => {
    await writeFile(join(root, "deep", "notes.txt"), "");
    await writeFile(join(root, "deep", "filed.tinker.yaml"), `${CONFIG}log_path: notes.txt\n`);
    expect((await assistant.ask("listRuns")).runs).toHaveLength(4);
  });

  it("reads metrics, rollouts, alarms and evaluations of a run", async () => {
    const { steps, evaluations } = await assistant.ask("readMetrics", { run: "hard" });
    expect([steps.at(-1).step, evaluations.length]).toEqual([24, 2]);
    const at = { run: "hard", step: 24 };
    expect((await assistant.ask("readRollouts", at)).rollouts.length).toBeGreaterThan(10);
    const one = await assistant.ask("readRollouts", { ...at, group: 1, rollout: 2 });
    expect(one.trajectories[0].promptText).toBe("What is 2 + 3?");
    await expect(assistant.ask("readRollouts", { ...at, rollout: 2 })).rejects.toThrow(
      "name the group, too",
    );
    const { firing } = await assistant.ask("explainAlarms", { run: "hard" });
    expect(firing[0].edits).toEqual(["max_response_tokens=96"]);
  });

  it("finds rollouts by words", async () => {
    const { found, isWhole } = await assistant.ask("searchRollouts", {
      words: '"long result"',
      roles: ["result"],
    });
    expect(isWhole).toBe(true);
    expect(found).toMatchObject([{ run: ".tinker-rl/runs/hard", step: 24, group: 1, rollout: 1 }]);
  });

  it("compares runs by their differences", async () => {
    const { differingSettings, runs } = await assistant.ask("compareRuns", {
      runs: ["lr-1e-5-seed-1", "lr-1e-5-seed-2"],
      metrics: ["loss"],
    });
    expect(differingSettings).toEqual(["seed"]);
    expect(runs[1]).toMatchObject({ steps: 30, settings: { seed: "2" } });
    expect(runs[0].metrics["rollout/reward/mean"]).toMatchObject({
      last: expect.any(Number),
      count: 10,
    });
    expect(runs[0].lastEvaluation.results.length).toBeGreaterThan(0);
  });

  it("validates configurations in its folder, and opens no other file", async () => {
    for (const path of ["tinker-config.yaml", "deep/other.yaml"]) {
      const answer = await assistant.ask("validateConfig", { path });
      expect(answer).toMatchObject({ configPath: path, isValid: true });
    }
    for (const path of [
      ...["/etc/passwd", ".env", "../elsewhere/tinker-config.yaml"],
      ...["linked/tinker-config.yaml", "deep/tinker-config.yaml", "deep/unrelated.yaml"],
    ]) {
      await expect(assistant.ask("validateConfig", { path })).rejects.toThrow("Available: ");
      await expect(assistant.ask("estimate", { config: path })).rejects.toThrow("Available: ");
    }
  });

  it("does not call a configuration with an unknown local model or environment valid", async () => {
    const path = join(root, "deep", "unknown.tinker.yaml");
    for (const [from, to, code] of [
      ["local/calculator", "local/calculatr", "TRL300"],
      ["local/tiny-tool", "local/tiny-tol", "TRL302"],
    ] as const) {
      await writeFile(path, CONFIG.replace(from, to));
      const answer = await assistant.ask("validateConfig", { path: "deep/unknown.tinker.yaml" });
      expect(answer).toMatchObject({ isValid: false, problems: [{ code }] });
    }
    await rm(path);
  });

  it("explains which files are configurations", async () => {
    await expect(assistant.ask("validateConfig", { path: "deep/unrelated.yaml" })).rejects.toThrow(
      "or the comment `# tinker-rl: config` in its first five lines",
    );
  });

  it("reports that a run has no evaluation rollouts for a given step", async () => {
    const runs = join(root, ".tinker-rl", "runs");
    await cp(join(runs, "lr-1e-5-seed-1"), join(runs, "unevaluated"), { recursive: true });
    await rm(join(runs, "unevaluated", "eval"), { recursive: true });
    const at = { run: "unevaluated", step: 1, evaluation: true };
    await expect(assistant.ask("readRollouts", at)).rejects.toThrow(
      "The run has no rollouts of evaluations.",
    );
    await rm(join(runs, "unevaluated"), { recursive: true });
  });

  it("looks up keys by a part of their path, or lists them", async () => {
    const { keys } = await assistant.ask("configReference", { key: "environments.num_rollouts" });
    expect(keys).toEqual([
      {
        key: "environments.<name>.num_rollouts",
        text: expect.stringContaining("integer"),
      },
    ]);
    const key = "environments.local/calculator.agent.timeout";
    const own = await assistant.ask("configReference", { key });
    expect(own.keys).toMatchObject([{ key: "environments.<name>.agent.timeout" }]);
    const { sections } = await assistant.ask("configReference");
    expect(sections[0].keys).toContain("model_name");
    await expect(assistant.ask("configReference", { key: "learning_rat" })).rejects.toThrow(
      "Similar: learning_rate",
    );
  });

  it.each([
    ["searchRollouts", { words: "tool", step: 1 }, /Unrecognized key: "step"/],
    ["configReference", { keys: ["seed"] }, /Unrecognized key: "keys"/],
    ["listRuns", { last: 3 }, /Unrecognized key: "last"/],
    ["readMetrics", { runn: "hard" }, /Unrecognized key: "runn"\n.*\n.*at run/],
  ])("learns from %s which part of its input is wrong: %j", async (name, input, message) => {
    await expect(assistant.ask(name, input)).rejects.toThrow(message);
  });

  it("reports what an estimate lacks", async () => {
    await expect(assistant.ask("estimate", { config: "deep/other.yaml" })).rejects.toThrow(
      "No past run of this workspace",
    );
    await writeFile(
      join(root, "deep", "whole.tinker.yaml"),
      `${CONFIG}evaluation: { splits: { local/calculator: [test] }, num_samples: null }\n`,
    );
    await expect(
      assistant.ask("estimate", { config: "deep/whole.tinker.yaml", run: "hard" }),
    ).rejects.toThrow("The past run .tinker-rl/runs/hard does not say how many tasks");
    await rm(join(root, "deep", "whole.tinker.yaml"));
  });

  it("gets answers of bounded length, without keys and without outside content", async () => {
    const { tools } = await assistant.client.listTools();
    const inputs = [
      ...[{}, { run: "hard" }, { run: "hard", step: 24 }, { run: "hard", step: 24, group: 1 }],
      ...[{ path: "leading.tinker.yaml" }, { path: "deep/tinker-config.yaml" }],
      ...[{ words: "tool" }, { words: KEY }, { runs: ["hard", "way-out"] }, { run: "way-out" }],
      { config: "leading.tinker.yaml" },
    ];
    for (const { name } of tools) {
      for (const input of inputs) {
        const text = await assistant.text(name, input);
        expect(text.length).toBeLessThanOrEqual(MAX_CHARS);
        expect(text).not.toContain(OUTSIDE);
        expect(text).not.toContain(KEY);
        expect(text).not.toContain(folder);
      }
    }
  });
});
