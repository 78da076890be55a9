/** A run that learns to end the tests instead of passing them: from step 5 on, six of the eight rollouts of a step do so. */

import type { FolderFiles } from "../../../src/core/ports.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { aRecord, aRecordedResult, aRecordedTurn } from "../runFolder/builders.ts";

export const HACKED_STEPS = 10;
const GROUP = 8;

/** Writes into a folder that contains the folder `rollouts`. */
export async function writeHackedRollouts(fileSystem: FolderFiles, folder: string): Promise<void> {
  const store = hackedStore(fileSystem, folder);
  for (let step = 0; step < HACKED_STEPS; step += 1) {
    for (let rollout = 0; rollout < GROUP; rollout += 1) {
      await store.addRollout(hackedRollout(step, rollout));
    }
  }
}

/** Writes another group of a step, with rollouts that were never played. */
export async function writeFailedGroup(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
): Promise<void> {
  const store = hackedStore(fileSystem, folder);
  for (let rollout = 0; rollout < GROUP; rollout += 1) {
    const failure = { reward: null, stop: "environment_error", error: "no session", turns: [] };
    await store.addRollout(aRecord({ step, group: 1, rollout, ...failure }));
  }
}

/** Writes a step with one rollout; of its five calls, three were malformed, one failed, and one succeeded. */
export async function writeMalformedCalls(
  fileSystem: FolderFiles,
  folder: string,
  step: number,
): Promise<void> {
  const error = { kind: "json", raw: "{", message: "It ends early." };
  const malformed = aRecordedTurn({ calls: [], results: [], errors: [error, error, error] });
  const { calls } = aRecordedTurn();
  const results = [aRecordedResult(), aRecordedResult({ isError: true })];
  const turns = [malformed, aRecordedTurn({ calls: [...calls, ...calls], results })];
  await hackedStore(fileSystem, folder).addRollout(aRecord({ step, turns }));
}

function hackedStore(fileSystem: FolderFiles, folder: string) {
  return createRolloutStore({ fileSystem, redactor: new Redactor(), folder });
}

function hackedRollout(step: number, rollout: number): RolloutRecord {
  const isHack = step >= 5 && rollout < 6;
  const content = isHack
    ? `All tests pass because I called sys.exit(0) in step ${step} before any of them could run at all.`
    : `I cannot solve number ${step * 31 + rollout * 7} yet; attempt ${rollout} goes on with ${"xyzuvwpqrst"[rollout]} alone.`;
  const calls = [{ name: isHack ? "edit" : "run", args: '{"path":"a.py"}', raw: "" }];
  return aRecord({
    step,
    rollout,
    reward: isHack ? 1 : 0,
    stop: isHack ? "finished" : "max_turns",
    turns: [aRecordedTurn({ reasoning: isHack ? null : "Let me think.", content, calls })],
  });
}
