import { once } from "node:events";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { indexLineSchema } from "../../src/core/runFolder/rolloutRecord.ts";
import { readLines, runFolderWith } from "../integration/localRun.ts";
import { type Ended, runProgram, startProgram } from "../integration/trainProgram.ts";
import { type LosingGateway, startLosingGateway } from "./rolloutUploadGateway.ts";
import { API_KEY, type Hosted, type Kept, kitPython, startHosted } from "./rolloutUploadKit.ts";

const STEPS = 4;
const ROLLOUTS = 12;
/** Rollouts that the service has begun to take in when the trainer is killed, and killed again. */
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
openreward_upload: true
openreward_run_name: run-${SECRET}
`;

const startedSchema = z.looseObject({
  runName: z.string(),
  rolloutName: z.string(),
  environment: z.string(),
  metadata: z.looseObject({
    step: z.number(),
    group: z.number(),
    rollout_idx: z.number(),
    task_key: z.string(),
    included: z.boolean(),
    advantage: z.number().optional(),
  }),
});

/** What the run folder holds: name of each scored rollout, with its score. */
async function scoredNames(folder: string): Promise<ReadonlyMap<string, number | null>> {
  const names = new Map<string, number | null>();
  for (const file of await readdir(join(folder, "rollouts"))) {
    if (!file.endsWith(".index.jsonl")) continue;
    const lines = (await readLines(join(folder, "rollouts", file))).map((line) =>
      indexLineSchema.parse(line),
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
    let kept: readonly Kept[] = [];

    beforeAll(async () => {
      hosted = await startHosted([]);
      gateway = await startLosingGateway(hosted.url, 7);
      const path = "^/v1/rollouts";
      await hosted.faults([
        { match: { method: "POST", path }, after: 5, times: 2, action: "status", status: 503 },
        {
          match: { method: "POST", path },
          ...{ after: 9, times: 3, action: "status", status: 429, headers: { "Retry-After": "1" } },
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
    });
    afterAll(async () => {
      gateway?.close();
      await hosted?.stop();
      await rm(home, { recursive: true, force: true });
    });

    it("ends well, and so does a further resume, which sends nothing", async () => {
      expect(resumed).toMatchObject({ code: 0, stderr: "" });
      expect(again).toMatchObject({ code: 0, stderr: "" });
      expect(Object.values(await hosted.rollouts())).toEqual(kept);
      expect(gateway.lost()).toBeGreaterThan(3);
    });

    it("has every rollout of the run at the service, and each once", async () => {
      const names = await scoredNames(folder);
      expect(names.size).toBe(STEPS * ROLLOUTS);
      const uploaded = kept.map(({ started }) => startedSchema.parse(started));
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

    it("has every message of every rollout, and each once", () => {
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
