import { expect, it } from "vitest";
import { appendCheckpoint } from "../../../src/core/runFolder/checkpointLog.ts";
import { writeState } from "../../../src/core/runFolder/state.ts";
import { readRun } from "../../../src/core/runs/runList.ts";
import { warnOfExpiry } from "../../../src/trainer/resume/reportRewind.ts";
import { aCheckpointEntry, aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { aContext } from "../../core/training/fakeContext.ts";
import { aRunState } from "../runState.ts";

const FOLDER = "/runs/demo";
const DAY_MS = 86_400_000;

/** A run whose newest save, of step 15, expires in a day, and whose permanent one is of `step`. */
async function aRunWithLastingSave(step: number) {
  const context = aContext();
  const fileSystem = createMemoryFileSystem();
  const expires_at = new Date(context.clock.now() + DAY_MS).toISOString();
  const save = (name: string, expires: string | null, at: number) => ({
    step: at,
    state_path: `tinker://a/weights/${name}`,
    sampler_path: null,
    expires_at: expires,
  });
  const lasting = save("lasting", null, step);
  const state = aRunState(step, { last_checkpoint: lasting });
  await appendCheckpoint(fileSystem, FOLDER, aCheckpointEntry({ ...lasting, state }));
  const rolling = save("rolling", expires_at, 15);
  await writeState(fileSystem, FOLDER, aRunState(15, { last_checkpoint: rolling }));
  await warnOfExpiry({
    ...context,
    storage: { ...context.storage, fileSystem, folder: FOLDER },
  });
  await fileSystem.writeAtomic(`${FOLDER}/run.json`, JSON.stringify(aRunFile({ phase: "failed" })));
  const rows = Array.from({ length: 15 }, (_, at) => `{"step":${at}}\n`).join("");
  await fileSystem.append(`${FOLDER}/metrics.jsonl`, rows);
  const liveness = { nowMs: context.clock.now(), isProcessAlive: () => false };
  const listed = await readRun(fileSystem, { name: "demo", folder: FOLDER }, liveness);
  return { warnings: context.progress.length, listed };
}

it("warns about an expiry that makes a resume repeat steps", async () => {
  const { warnings, listed } = await aRunWithLastingSave(10);
  expect(warnings).toBe(1);
  expect(listed).toMatchObject({ repeats: 0, expiry: { repeats: 5 } });
});

it("does not warn about an expiry while another save of the same step is permanent", async () => {
  const { warnings, listed } = await aRunWithLastingSave(15);
  expect(warnings).toBe(0);
  expect(listed).toMatchObject({ repeats: 0, expiry: null });
});
