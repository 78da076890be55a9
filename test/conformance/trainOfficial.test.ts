/** A whole run in the sample environments of the official ORS servers, with a model that knows the solutions. */

import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import {
  type RolloutRecord,
  rolloutRecordSchema,
} from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { readLines, runFolderWith } from "../integration/localRun.ts";
import { STUB_MODEL, type Stub, startStub } from "../integration/tinkerServersStub.ts";
import { type Ended, runProgram } from "../integration/trainProgram.ts";
import { QWEN3_FOLDER } from "../node/tokenizer/qwen3Model.ts";
import { kitPython, type OfficialServer, PACKAGES, startOfficialServer } from "./openrewardKit.ts";
import { playingModel, playNumber } from "./trainOfficialModel.ts";
import {
  type Call,
  ENVIRONMENTS,
  NEWER_ENVIRONMENTS,
  type OfficialEnvironment,
  type Play,
} from "./trainOfficialPlays.ts";

function tasksOf({ split }: OfficialEnvironment): number {
  return Number(split["num_samples"]);
}

/** Every task once, in one step. */
function config(environments: readonly OfficialEnvironment[], tinker: string, ors: string): string {
  return JSON.stringify({
    model_name: STUB_MODEL,
    tokenizer_name: QWEN3_FOLDER,
    lora_rank: 8,
    run_name: "run",
    environments: Object.fromEntries(
      environments.map(({ name, split, settings, plays }) => [
        name,
        {
          splits: { train: split },
          num_rollouts: plays(0).length,
          nonterminal_reward: 0,
          ...settings,
        },
      ]),
    ),
    batch_size: environments.reduce((sum, each) => sum + tasksOf(each), 0),
    max_steps: 1,
    max_active_tasks: 100,
    max_rollout_retries: 0,
    // Shorter than the longest setup, which must not count.
    rollout_timeout: 25,
    tinker_base_url: tinker,
    openreward_base_url: ors,
  });
}

const rewardSchema = z.object({ mean: z.number().nullable(), count: z.number() });
const rowSchema = z.looseObject({
  num_groups: z.number(),
  rollout: z.looseObject({
    env: z.record(z.string(), z.looseObject({ reward: rewardSchema })),
  }),
});

describe.skipIf(kitPython === null).concurrent.each(PACKAGES)(
  "training on the server of %s",
  (packageName) => {
    const environments =
      packageName === "openreward" ? [...ENVIRONMENTS, ...NEWER_ENVIRONMENTS] : ENVIRONMENTS;
    let official: OfficialServer;
    let stub: Stub;
    let folder = "";
    let run = "";
    let ended: Ended;
    let records: readonly RolloutRecord[];

    beforeAll(async () => {
      official = await startOfficialServer(packageName);
      stub = await startStub({ sample: playingModel(environments) });
      folder = await runFolderWith(config(environments, stub.url, official.url));
      ended = await runProgram(["train", "-c", join(folder, "config.yaml")], {
        TINKER_API_KEY: "tml-test",
      });
      run = join(folder, ".tinker-rl", "runs", "run");
      const lines = await readLines(join(run, "rollouts", "step-000000.jsonl"));
      records = lines.map((line) => rolloutRecordSchema.parse(line));
    });
    afterAll(async () => {
      official?.stop();
      stub?.close();
      await rm(folder, { recursive: true, force: true });
    });

    const recordsOf = (name: string) => records.filter(({ environment }) => environment === name);

    it("ends successfully, with an update and a checkpoint", async () => {
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      const paths = stub.calls.map(({ path }) => path);
      for (const path of ["forward_backward", "optim_step", "save_weights"]) {
        expect(paths).toContain(path);
      }
    });

    it.each(environments)("earns the documented rewards of $name", async (environment) => {
      const { name, plays } = environment;
      const own = recordsOf(name);
      const size = plays(0).length;
      expect(own).toHaveLength(tasksOf(environment) * size);
      for (const record of own) expectPlayed(record, plays(record.index));
      for (const index of new Set(own.map((record) => record.index))) {
        const begun = own.filter((record) => record.index === index && record.turns.length > 0);
        const each = begun.length === 0 ? [] : Array.from({ length: size }, (_, i) => i);
        expect(begun.map(playOf).sort()).toEqual(each);
      }
    });

    it("is played in every environment of the server", async () => {
      const response = await fetch(`${official.url}/list_environments`);
      const offered = z.array(z.string()).parse(await response.json());
      expect(offered.sort()).toEqual(environments.map(({ name }) => name).sort());
    });

    it("counts the same rewards in the metrics of the step", async () => {
      const [row] = (await readLines(join(run, "metrics.jsonl"))).map((row) =>
        rowSchema.parse(row),
      );
      expect(row?.num_groups).toBeGreaterThan(0);
      for (const { name } of environments) {
        const rewards = recordsOf(name).flatMap(({ reward }) => reward ?? []);
        const measured = row?.rollout.env[name]?.reward;
        expect(measured?.count, name).toBe(rewards.length);
        if (rewards.length === 0) continue;
        const mean = rewards.reduce((sum, reward) => sum + reward, 0) / rewards.length;
        expect(measured?.mean, name).toBeCloseTo(mean, 9);
      }
    });
  },
);

/** An episode that never started counts as the first play. */
function playOf({ turns }: RolloutRecord): number {
  return turns[0] === undefined ? 0 : playNumber(turns[0].content);
}

function expectPlayed(record: RolloutRecord, plays: readonly Play[]): void {
  const play = plays[playOf(record)];
  if (play === undefined) throw new Error(`${record.taskKey} was played in no known way`);
  const { stop, reward, error = null, answer = null } = play;
  const reported = error === null ? null : expect.stringMatching(error);
  expect(record, record.taskKey).toMatchObject({ stop, error: reported });
  // A failed tool has no result; its call is in the error.
  if (error === null) expect(movesOf(record, play)).toEqual(play.moves);
  if (answer !== null) expect(record.turns.at(-1)?.results.at(-1)?.text).toMatch(answer);
  expect(record.reward).toEqual(reward === null ? null : expect.closeTo(reward, 9));
}

/** The record's account of a play's moves, in the format of the play. */
function movesOf({ turns }: RolloutRecord, { moves }: Play): Play["moves"] {
  return turns.slice(0, moves.length).map(({ calls: [call], results: [result], content }) => {
    if (call?.raw.startsWith("<tool_call>") !== true) return content.replace(/^Play \d+\. /, "");
    const reward = result?.isError === true ? "refused" : (result?.reward ?? null);
    const says = content.replace(/^Play \d+\. ?/, "");
    const reported: Call = { tool: call.name, input: JSON.parse(call.args), reward };
    return says === "" ? reported : { ...reported, says };
  });
}
