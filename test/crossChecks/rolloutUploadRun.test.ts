import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { indexLineSchema } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { kitPython } from "../conformance/openrewardKit.ts";
import { readLines, runFolderWith } from "../integration/localRun.ts";
import { type Ended, runProgram, startProgram } from "../integration/trainProgram.ts";
import { type LosingGateway, startLosingGateway } from "./rolloutUploadGateway.ts";
import { API_KEY, type Hosted, type Kept, startHosted } from "./rolloutUploadKit.ts";

const STEPS = 4;
const ROLLOUTS = 12;
/** At the start, in the middle and at the end, three tasks at two temperatures each. */
const EVALUATED = 3 * 3 * 2;
/** Number of rollouts begun at the service when the trainer is killed, and killed again. */
const KILLED_AFTER = [14, 27];
const SECRET = "open-sesame-9731";

const CONFIG = `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 3
max_steps: ${STEPS}
rolling_save_every: 2
secrets: { demo_token: "${SECRET}" }
evaluation: { splits: { local/calculator: [test] }, every: 2, num_samples: 3, temperatures: [0, 0.7] }
openreward_upload: true
openreward_upload_evaluations: true
openreward_run_name: run-${SECRET}
`;

const startedSchema = z.looseObject({
  runName: z.string(),
  rolloutName: z.string(),
  environment: z.string(),
  run_info: z.looseObject({ run_type: z.enum(["train", "eval"]) }),
  metadata: z.looseObject({
    step: z.number(),
    group: z.number(),
    rollout_idx: z.number(),
    task_key: z.string(),
    included: z.boolean().optional(),
    advantage: z.number().optional(),
  }),
});

function startsOf(kept: readonly Kept[], runType: "train" | "eval") {
  const starts = kept.map(({ started }) => startedSchema.parse(started));
  return starts.filter(({ run_info }) => run_info.run_type === runType);
}

/** Names of the run folder's evaluation rollouts. */
async function evaluatedNames(folder: string): Promise<readonly string[]> {
  const names = new Set<string>();
  for (const file of await readdir(join(folder, "eval"))) {
    if (!/^step-\d+\.jsonl$/.test(file)) continue;
    for (const line of await readLines(join(folder, "eval", file))) {
      const { step, index, temperature, purpose, model, rollout } = evaluatedSchema.parse(line);
      const own = model?.replaceAll(" ", "-") ?? `step${step}${purpose === "end" ? "-end" : ""}`;
      names.add(`local/calculator-test-${index}-eval-${own}-t${temperature}-r${rollout}`);
    }
  }
  return [...names].sort();
}

const evaluatedSchema = z.object({
  step: z.number(),
  index: z.number(),
  rollout: z.number(),
  temperature: z.number(),
  purpose: z.string(),
  model: z.string().optional(),
});

/** The run folder's scored rollouts: name and score. */
async function scoredNames(folder: string): Promise<ReadonlyMap<string, number | null>> {
  const names = new Map<string, number | null>();
  for (const file of await readdir(join(folder, "rollouts"))) {
    if (!file.endsWith(".index.jsonl")) continue;
    // Other lines contain the end times of the step's phases.
    const lines = (await readLines(join(folder, "rollouts", file))).flatMap(
      (line) => indexLineSchema.safeParse(line).data ?? [],
    );
    const nameOf = new Map<string, string>();
    for (const line of lines) {
      const key = `${line.group}/${line.rollout}`;
      if (line.kind === "ended") {
        const { environment, split, index, step, rollout } = line;
        nameOf.set(key, `${environment}-${split}-${index}-step${step}-r${rollout}`);
      }
      if (line.kind === "scored") names.set(nameOf.get(key) ?? "", line.advantage);
    }
  }
  return names;
}

describe.skipIf(kitPython === null)(
  "a run whose service refuses, breaks, loses answers and hides behind a login, killed twice and resumed",
  () => {
    let hosted: Hosted;
    let gateway: LosingGateway;
    let home = "";
    let folder = "";
    let resumed: Ended;
    let again: Ended;
    let measured: Ended;
    let kept: readonly Kept[] = [];
    let keptAgain: readonly Kept[] = [];

    beforeAll(async () => {
      hosted = await startHosted([]);
      gateway = await startLosingGateway(hosted.url, 7);
      const path = "^/v1/rollouts";
      await hosted.faults([
        { match: { method: "POST", path }, after: 5, times: 2, action: "status", status: 503 },
        {
          match: { method: "POST", path },
          after: 9,
          times: 3,
          action: "status",
          status: 429,
          headers: { "Retry-After": "1" },
        },
        { match: { method: "POST", path }, after: 16, times: 2, action: "reset" },
        { match: { path }, after: 20, times: 40, action: "delay", seconds: 0.1 },
        { match: { path }, after: 70, times: 2, action: "status", status: 502 },
      ]);
      home = await runFolderWith(CONFIG);
      folder = join(home, ".tinker-rl", "runs", "run");
      const variables = { OPENREWARD_API_URL: gateway.url, OPENREWARD_API_KEY: API_KEY };
      for (const count of KILLED_AFTER) {
        const isNew = count === KILLED_AFTER[0];
        const begin = isNew ? ["train", "-c", join(home, "config.yaml")] : ["resume", folder];
        const child = startProgram(begin, variables, true);
        const ended = once(child, "close");
        while (Object.keys(await hosted.rollouts()).length < count && child.exitCode === null)
          await sleep(20);
        expect(child.exitCode).toBeNull();
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        await ended;
      }
      resumed = await runProgram(["resume", folder], variables);
      kept = Object.values(await hosted.rollouts());
      again = await runProgram(["resume", folder], variables);
      keptAgain = Object.values(await hosted.rollouts());
      measured = await runProgram(["evaluate", "base", folder], variables);
    });
    afterAll(async () => {
      gateway?.close();
      await hosted?.stop();
      await rm(home, { recursive: true, force: true });
    });

    it("ends successfully, and so does a further resume, which sends nothing", async () => {
      expect(resumed).toMatchObject({ code: 0, stderr: "" });
      expect(again).toMatchObject({ code: 0, stderr: "" });
      expect(keptAgain).toEqual(kept);
      expect(gateway.lost()).toBeGreaterThan(3);
    });

    it("has every rollout of the run exactly once at the service", async () => {
      const names = await scoredNames(folder);
      expect(names.size).toBe(STEPS * ROLLOUTS);
      const uploaded = startsOf(kept, "train");
      expect(uploaded.map(({ rolloutName }) => rolloutName).sort()).toEqual(
        [...names.keys()].sort(),
      );
      for (const { rolloutName, runName, metadata } of uploaded) {
        expect(runName).toBe("run-***");
        expect(metadata.advantage ?? null).toBe(names.get(rolloutName));
        expect(metadata.included).toBe(metadata.advantage !== undefined);
        expect(metadata.task_key).toMatch(/^local\/calculator:train:\d+#\d+$/);
      }
    });

    it("has every rollout of the evaluations exactly once, as a separate run", async () => {
      const names = await evaluatedNames(folder);
      expect(names).toHaveLength(EVALUATED);
      const uploaded = startsOf(kept, "eval");
      expect(uploaded.map(({ rolloutName }) => rolloutName).sort()).toEqual(names);
      expect(new Set(uploaded.map(({ runName }) => runName))).toEqual(new Set(["run-***-eval"]));
    });

    it("has the rollouts of a standalone evaluation, too", async () => {
      expect(measured).toMatchObject({ code: 0, stderr: "" });
      const all = startsOf(Object.values(await hosted.rollouts()), "eval");
      const names = all.map(({ rolloutName }) => rolloutName).slice(EVALUATED);
      expect(names.sort()).toEqual(await evaluatedNames(`${folder}-evaluation`));
      expect(names).toHaveLength(12);
    });

    it("has every message of every rollout exactly once", () => {
      for (const { messages, updates } of kept) {
        const indices = messages.map((message) => Number(message["index"])).sort((a, b) => a - b);
        expect(indices).toEqual(messages.map((_, index) => index));
        expect(indices.length).toBeGreaterThan(1);
        expect(updates).toHaveLength(1);
      }
    });

    it("uploads no secret", async () => {
      const all = JSON.stringify(await hosted.recording());
      expect(all).not.toContain(SECRET);
      const log = await readFile(join(folder, "upload.jsonl"), "utf8");
      expect(log).not.toContain(API_KEY);
    });
  },
);
