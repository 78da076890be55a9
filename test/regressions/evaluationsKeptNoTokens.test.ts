/** Rollouts of evaluations were stored without tokens: nobody could look at them, or continue a conversation from them. */

import { describe, expect, it } from "vitest";
import { contextBefore } from "../../src/core/conversation/storedRollout.ts";
import { evalPath, tokensPath } from "../../src/core/runFolder/files/layout.ts";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import { readTokenSummary } from "../../src/core/runFolder/rollouts/tokenSummary.ts";
import { repairTails, supersedeFrom } from "../../src/core/runFolder/supersede.ts";
import { type EvaluationPlace, evaluate } from "../../src/core/training/evaluation/evaluate.ts";
import { findStoredTurn } from "../../src/trainer/chat/findStoredTurn.ts";
import { result, scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { call, ended, scriptedSampler } from "../core/rollout/scriptedModel.ts";
import {
  createMemoryFileSystem,
  type MemoryFileSystem,
} from "../core/runFolder/memoryFileSystem.ts";
import { ENVIRONMENT, someSettings } from "../core/training/builders.ts";
import { aContext, FOLDER } from "../core/training/fakeContext.ts";

const STEP = 10;
const SET = { source: "evaluation", step: STEP } as const;
const BODIES = evalPath(FOLDER, STEP);
const TOKENS = tokensPath(FOLDER, SET);
const evaluation = {
  splits: { [ENVIRONMENT]: ["test"] },
  at_start: true,
  at_end: true,
  every: 2,
  num_samples: 2,
  rollouts_per_task: 1,
  seed: 0,
  failure_reward: null,
  temperatures: [0, 1],
  save_best: null,
};

/** Two tasks, each greedy and sampled, in two turns each. */
async function evaluated(
  fileSystem = createMemoryFileSystem(),
  changes: Partial<EvaluationPlace> = {},
) {
  const remote = scriptedEnvironment([{ onCall: () => result("go on") }]);
  const context = aContext({ remote, fileSystem, settings: someSettings({ maxTurns: 2 }) });
  const sampler = scriptedSampler([ended(call("answer"))]);
  const at = { step: STEP, purpose: "periodic" as const, ...changes };
  await context.clock.run(evaluate(context, evaluation, sampler, at));
  return { fileSystem, prompts: sampler.requests.map(({ prompt }) => Array.from(prompt)) };
}

function copyOf(files: MemoryFileSystem): MemoryFileSystem {
  const copy = createMemoryFileSystem();
  for (const [path, bytes] of files.files) copy.files.set(path, bytes.slice());
  return copy;
}

/** What the model read before each turn of each rollout, and the records of its streams. */
async function stored(files: MemoryFileSystem) {
  const reader = createRunReader(files, FOLDER);
  const rollouts = await reader.rollouts(STEP, "evaluation");
  return Promise.all(
    rollouts.map(async (summary) => {
      const record = await reader.body(summary);
      const read = await Promise.all(summary.tokenData.map((each) => reader.tokens(summary, each)));
      const streams = read.filter((each) => each !== null);
      if (record === null) throw new Error("a rollout is not wholly stored");
      const contexts = record.turns.map((_, turn) => contextBefore({ record, streams, turn }));
      return { contexts, streams };
    }),
  );
}

describe("the tokens of an evaluation", () => {
  it("are those that the model read and sampled", async () => {
    const { fileSystem, prompts } = await evaluated();
    const rollouts = await stored(fileSystem);
    expect(rollouts).toHaveLength(4);
    expect(
      rollouts
        .flatMap(({ contexts }) => contexts)
        .map(String)
        .sort(),
    ).toEqual(prompts.map(String).sort());
    for (const { streams } of rollouts) {
      const [stream] = streams;
      expect(Array.from(stream?.mask ?? [])).toContain(1);
      expect(new Set(Array.from(stream?.advantages ?? []))).toEqual(new Set([0]));
      expect(new Set(Array.from(stream?.trainerLogprobs ?? []))).toEqual(new Set([Number.NaN]));
    }
    const [summary] = await createRunReader(fileSystem, FOLDER).rollouts(STEP, "evaluation");
    const [entry] = summary?.tokenData ?? [];
    if (entry === undefined) throw new Error("no token data");
    const { strip } = (await readTokenSummary(fileSystem, FOLDER, SET, entry)) ?? {};
    expect(new Set(strip)).toEqual(new Set([-0.5]));
  });

  it("are found by a conversation that goes on, by the group or by the order of the ends", async () => {
    const { fileSystem } = await evaluated(undefined, { model: { name: "base", path: null } });
    const run = { folder: FOLDER, files: fileSystem };
    const place = { ...SET, rollout: 1, turn: 2 };
    const [first] = await stored(fileSystem);
    for (const group of [1, null]) {
      const found = await findStoredTurn(run, { ...place, group });
      expect(found.model).toBe("base");
      expect(contextBefore(found)).toEqual(first?.contexts[1]);
    }
    await expect(findStoredTurn(run, { ...place, group: null, rollout: 5 })).rejects.toThrow(
      "The evaluation after 10 steps has no rollout 5",
    );
  });

  it.each([
    ["in its token record", { tokens: 30, bodies: 0 }],
    ["between its tokens and its line", { tokens: Infinity, bodies: 0 }],
    ["in its line", { tokens: Infinity, bodies: 40 }],
  ])("are whole after a kill in the middle of a rollout, %s", async (_, written) => {
    const { fileSystem: whole } = await evaluated();
    const { fileSystem: cut } = { fileSystem: copyOf(whole) };
    const lines = new TextDecoder().decode(whole.files.get(BODIES)).split("\n");
    const kept = `${lines.slice(0, 2).join("\n")}\n`.length;
    const last: { tokenData: { offset: number }[] } = JSON.parse(lines[2] ?? "");
    const begin = last.tokenData[0]?.offset ?? 0;
    const end = JSON.parse(lines[3] ?? "").tokenData[0].offset;
    const cutTo = (path: string, length: number) =>
      cut.files.set(path, whole.files.get(path)?.slice(0, length) ?? new Uint8Array());
    cutTo(BODIES, kept + written.bodies);
    cutTo(TOKENS, Math.min(end, begin + written.tokens));
    for (const path of [...cut.files.keys()])
      if (path.endsWith("results.jsonl")) cut.files.delete(path);
    await repairTails(cut, FOLDER);
    expect(cut.files.get(TOKENS)).toHaveLength(begin);
    const { prompts } = await evaluated(cut);
    expect(prompts).toHaveLength(4);
    expect(cut.files.get(TOKENS)).toHaveLength(whole.files.get(TOKENS)?.length ?? 0);
    expect(await stored(cut)).toEqual(await stored(whole));
  });

  it("are moved away with the rollouts that a resume repeats, and stay with those that it keeps", async () => {
    const { fileSystem } = await evaluated();
    await supersedeFrom(fileSystem, { folder: FOLDER, attempt: 1, step: STEP });
    await repairTails(fileSystem, FOLDER);
    expect(await stored(fileSystem)).toHaveLength(4);
    await supersedeFrom(fileSystem, { folder: FOLDER, attempt: 1, step: STEP - 1 });
    const moved = `${FOLDER}/superseded/attempt-1/eval`;
    const names = [...fileSystem.files.keys()].filter((path) => path.includes("/eval/step-"));
    expect(names.sort()).toEqual([`${moved}/step-000010.jsonl`, `${moved}/step-000010.tokens.bin`]);
    await evaluated(fileSystem);
    expect(await stored(fileSystem)).toHaveLength(4);
  });

  it("of several evaluations after the same step do not mix", async () => {
    const { fileSystem } = await evaluated();
    const before = await stored(fileSystem);
    await evaluated(fileSystem, { purpose: "end", model: { name: "other", path: null } });
    const both = await stored(fileSystem);
    expect(both).toHaveLength(8);
    expect(both.slice(0, 4)).toEqual(before);
  });
});
