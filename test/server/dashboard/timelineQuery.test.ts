import { expect, test } from "vitest";
import { RunFollower } from "../../../src/core/runFolder/follower.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { TimelineQuery } from "../../../src/server/dashboard/timelineQuery.ts";
import { aRecord, stepFacts } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const FOLDER = "/runs/demo";
const SET = { source: "training", step: 0 } as const;

test("two steps asked for at once do not share their times", async () => {
  const fileSystem = createMemoryFileSystem();
  const files = fileSystem.within(FOLDER);
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder: FOLDER });
  for (const step of [0, 1]) {
    await store.addRollout(aRecord({ step, startedAtMs: 1_000 * (step + 1) }));
  }
  const query = new TimelineQuery(files, new RunFollower({ fileSystem, folder: FOLDER }));
  await Promise.all([0, 1].map((step) => query.timeline({ ...SET, step })));
  expect(await query.timeline({ ...SET, step: 1 })).toMatchObject({ startedAtMs: 2_000 });
});

test("a growing step is read incrementally, and its phases follow at its end", async () => {
  const fileSystem = createMemoryFileSystem();
  const files = fileSystem.within(FOLDER);
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder: FOLDER });
  const follower = new RunFollower({ fileSystem, folder: FOLDER });
  await store.addRollout(aRecord({ rollout: 0 }));
  const query = new TimelineQuery(files, follower);
  await follower.refresh();
  const early = await query.timeline(SET);
  expect(early).toMatchObject({ path: [], rows: [{ rollout: 0 }], omitted: 0 });

  await store.addRollout(aRecord({ rollout: 1, startedAtMs: 1_100 }));
  await store.addPhases(0, {
    startedAtMs: 900,
    takenMs: 500,
    pausedMs: 0,
    submittedMs: 510,
    trainedMs: 700,
    savedMs: 710,
    endedMs: 720,
  });
  await appendMetrics(files, FOLDER, buildMetricsRow(stepFacts({ step: 0 })));
  await follower.refresh();
  const whole = await query.timeline(SET);
  expect(whole).toMatchObject({ startedAtMs: 900, toMs: 720 });
  expect(whole.rows.map(({ rollout }) => rollout)).toEqual([0, 1]);
  expect(whole.path.at(-1)).toMatchObject({ kind: "finish", toMs: 720 });
});
