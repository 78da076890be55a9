import { describe, expect, it } from "vitest";
import { waitingUploads } from "../../../../src/core/tracking/openreward/uploadLog.ts";
import { ALL, FOLDER, type PlayedEvaluation, UploadWorld } from "./uploadWorld.ts";

const PERIODIC: PlayedEvaluation = { step: 4, purpose: "periodic", temperatures: [0, 0.7] };
const OTHER = { promptText: "Another prompt." };

async function evaluated(world: UploadWorld, evaluation = PERIODIC) {
  await world.playEvaluation(evaluation);
  return world.endEvaluation(evaluation);
}

describe("finished evaluations", () => {
  it("are uploaded as evaluations, each rollout once, with step and temperature in its name", async () => {
    const world = new UploadWorld();
    const spool = world.attempt(1, 0);
    spool.evaluationEnded(await evaluated(world));
    expect(await world.drain(spool)).toBe(0);
    world.expectOnce(2 * ALL);
    expect(world.service.names).toContain("Owner/Game-test-2-eval-step4-t0.7-r3");
    const starts = [...world.service.rollouts.values()].flatMap((each) => each.starts);
    for (const start of starts) {
      expect(start).toMatchObject({
        runName: "run-eval",
        split: "test",
        run_info: { run_type: "eval" },
        metadata: { step: 4, evaluation: "periodic" },
      });
      expect(start["metadata"]).not.toHaveProperty("included");
    }
    const updates = [...world.service.rollouts.values()].flatMap((each) => each.updates);
    const temperatures = updates.map(({ rollout_info }) => Object(rollout_info).temperature);
    expect(new Set(temperatures)).toEqual(new Set([0, 0.7]));
    expect(await waitingUploads(world.disk, FOLDER)).toBe(0);
  });

  it("stay on disk if only training is uploaded, and vice versa", async () => {
    for (const sources of [
      { training: true, evaluations: false },
      { training: false, evaluations: true },
    ]) {
      const world = new UploadWorld();
      const spool = world.attempt(1, 0, sources);
      await world.play(0);
      spool.stepScored(0, ALL);
      spool.evaluationEnded(await evaluated(world));
      await world.drain(spool);
      world.expectOnce(sources.training ? ALL : 2 * ALL);
    }
  });

  it("are distinguished by purpose and model when they follow the same step", async () => {
    const world = new UploadWorld();
    const spool = world.attempt(1, 0);
    const others: readonly PlayedEvaluation[] = [
      { ...PERIODIC, purpose: "end" },
      { ...PERIODIC, purpose: "asked", model: { name: "base", path: null } },
      { ...PERIODIC, purpose: "asked", model: { name: "step 4", path: "tinker://a" } },
    ];
    for (const each of [PERIODIC, ...others]) spool.evaluationEnded(await evaluated(world, each));
    expect(await world.drain(spool)).toBe(0);
    world.expectOnce(4 * 2 * ALL);
    expect(world.service.names).toContain("Owner/Game-test-0-eval-base-t0-r0");
    expect(world.service.names).toContain("Owner/Game-test-0-eval-step-4-t0-r0");
    expect(world.service.names).toContain("Owner/Game-test-0-eval-step4-end-t0-r0");
  });

  it("are uploaded as last played when a group was played again", async () => {
    const world = new UploadWorld();
    const spool = world.attempt(1, 0);
    await world.playEvaluation(PERIODIC, OTHER);
    spool.evaluationEnded(await evaluated(world));
    await world.drain(spool);
    world.expectOnce(2 * ALL);
    const messages = [...world.service.rollouts.values()].flatMap((each) => each.messages);
    expect(JSON.stringify(messages)).not.toContain(OTHER.promptText);
  });
});

describe("a killed trainer", () => {
  /** Disk changes of the upload: opened, queued, two for each rollout, complete. */
  const writes = Array.from({ length: 3 + 4 * ALL + 1 }, (_, index) => index);

  it.each(writes)(
    "with %i lines in its log leaves the rest of an evaluation to the next one, without duplicates",
    async (count) => {
      const world = new UploadWorld();
      const first = world.attempt(1, 0);
      const ended = await evaluated(world);
      world.disk.allowedWrites = count;
      first.evaluationEnded(ended);
      await world.drain(first);
      await first.close();
      world.disk.allowedWrites = Number.POSITIVE_INFINITY;
      // The evaluation was complete at the start of the next attempt, which reports its results again.
      const second = world.attempt(2, 4);
      second.evaluationEnded(ended);
      expect(await world.drain(second)).toBe(0);
      world.expectOnce(2 * ALL);
      expect(await waitingUploads(world.disk, FOLDER)).toBe(0);
    },
  );
});

describe("an evaluation that a resume repeats", () => {
  it.each([{}, OTHER])("is sent again only if something differs: %j", async (changes) => {
    const world = new UploadWorld();
    const first = world.attempt(1, 0);
    first.evaluationEnded(await evaluated(world));
    await world.drain(first);
    await first.close();
    await world.supersede(1, 2);
    const second = world.attempt(2, 2);
    await second.opened;
    await world.playEvaluation(PERIODIC, { startedAtMs: 99_000, ...changes });
    second.evaluationEnded(await world.endEvaluation(PERIODIC));
    expect(await world.drain(second)).toBe(0);
    const isOther = Object.keys(changes).length > 0;
    world.expectOnce((isOther ? 4 : 2) * ALL);
    const name = "Owner/Game-test-0-eval-step4-t0-r0-attempt2";
    expect(world.service.names.includes(name)).toBe(isOther);
  });

  it("is sent by a later attempt if its own was killed before writing to its log", async () => {
    const world = new UploadWorld();
    const first = world.attempt(1, 0);
    first.evaluationEnded(await evaluated(world));
    await world.drain(first);
    await first.close();
    await world.supersede(1, 2);
    const second = world.attempt(2, 2);
    await second.opened;
    await second.close();
    await world.playEvaluation(PERIODIC, OTHER);
    await world.endEvaluation(PERIODIC);
    expect(await world.drain(world.attempt(3, 4))).toBe(0);
    world.expectOnce(4 * ALL);
    expect(world.service.names).toContain("Owner/Game-test-0-eval-step4-t0-r0-attempt2");
  });

  it("leaves no partial rollout on the service", async () => {
    const world = new UploadWorld();
    const first = world.attempt(1, 0);
    // Eight starts are accepted, then the service is gone.
    world.service.fault = (count) => (count > 8 ? "broken" : null);
    first.evaluationEnded(await evaluated(world));
    await world.drain(first, 10_000);
    await first.close();
    expect(world.service.rollouts.size).toBe(8);
    await world.supersede(1, 2);
    world.service.fault = () => null;
    const second = world.attempt(2, 2);
    await second.opened;
    await world.playEvaluation(PERIODIC, OTHER);
    second.evaluationEnded(await world.endEvaluation(PERIODIC));
    expect(await world.drain(second)).toBe(0);
    world.expectOnce(8 + 2 * ALL);
  });
});
