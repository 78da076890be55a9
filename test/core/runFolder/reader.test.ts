import fc from "fast-check";
import { expect, test } from "vitest";
import { appendCheckpoint, readCheckpoints } from "../../../src/core/runFolder/checkpointLog.ts";
import { createEventLog, readEvents } from "../../../src/core/runFolder/events.ts";
import { runPaths, stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRunReader, StoredRollouts } from "../../../src/core/runFolder/reader.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { aCheckpointEntry, aRecord, collect, stepFacts } from "./builders.ts";
import { createMemoryFileSystem, createStillClock } from "./memoryFileSystem.ts";

const tokens = {
  group: 0,
  rollout: 1,
  stream: 0,
  ids: [10, 20, 511],
  samplerLogprobs: [0, -0.5, -0.25],
  trainerLogprobs: [Number.NaN, -0.5, -0.125],
  advantages: [0, 2, 2],
  turns: [-1, 0, 0],
  mask: [0, 1, 1],
};

async function writtenRun() {
  const fileSystem = createMemoryFileSystem();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: "run" });
  await store.addRollout(aRecord({ rollout: 1, reward: 0.25 }));
  await store.addRollout(aRecord({ rollout: 0 }));
  await store.addScores(0, [
    { group: 0, rollout: 0, advantage: null, trainingUse: "excluded:zero_variance" },
    { group: 0, rollout: 1, advantage: -0.5, trainingUse: "trained" },
  ]);
  await store.addTokens(0, [tokens, { ...tokens, stream: 1 }]);
  for (const step of [0, 1]) {
    await appendMetrics(fileSystem, "run", buildMetricsRow(stepFacts({ step })));
  }
  const events = createEventLog({
    fileSystem,
    clock: createStillClock(),
    redactor: new Redactor(),
    folder: "run",
    attempt: 1,
  });
  await events.record({
    kind: "started",
    level: "info",
    step: null,
    message: "Started.",
    data: {},
  });
  await appendCheckpoint(
    fileSystem,
    "run",
    aCheckpointEntry({
      name: "checkpoint_000001",
      step: 1,
      state_path: "tinker://run/weights/checkpoint_000001",
      metrics: { "rollout/reward/mean": 0.5 },
    }),
  );
  return { fileSystem, reader: createRunReader(fileSystem, "run") };
}

test("two concurrent reads of a step return each token stream once", async () => {
  const { fileSystem } = await writtenRun();
  const stored = new StoredRollouts(fileSystem, "run", { source: "training", step: 0 });
  await Promise.all([stored.refresh(), stored.refresh()]);
  expect(stored.summaries[1]?.tokenData.map(({ stream }) => stream)).toEqual([0, 1]);
});

test("summaries are in group order, with scores and the locations of token data", async () => {
  const { reader } = await writtenRun();
  expect(await reader.steps()).toEqual([0]);
  expect(await reader.rollouts(0)).toMatchObject([
    { rollout: 0, reward: 1, score: { trainingUse: "excluded:zero_variance" }, tokenData: [] },
    {
      rollout: 1,
      reward: 0.25,
      turns: 1,
      tokens: 12,
      score: { advantage: -0.5, trainingUse: "trained" },
      tokenData: [{ stream: 0 }, { stream: 1 }],
    },
  ]);
});

test("a body is restored as it was written, whatever was written before it", async () => {
  const { reader } = await writtenRun();
  const bodies = await Promise.all((await reader.rollouts(0)).map(reader.body));
  expect(bodies).toEqual([aRecord({ rollout: 0 }), aRecord({ rollout: 1, reward: 0.25 })]);
});

const SET = { source: "training", step: 0 } as const;

test("token data is restored in single precision, with unknown values as NaN", async () => {
  const { reader } = await writtenRun();
  const place = (await reader.rollouts(0))[1]?.tokenData[1];
  const record = place === undefined ? null : await reader.tokens(SET, place);
  expect(record).toEqual({
    group: 0,
    rollout: 1,
    stream: 1,
    ids: Int32Array.from(tokens.ids),
    samplerLogprobs: Float32Array.from(tokens.samplerLogprobs),
    trainerLogprobs: Float32Array.from(tokens.trainerLogprobs),
    advantages: Float32Array.from(tokens.advantages),
    turns: Int16Array.from(tokens.turns),
    mask: Uint8Array.from(tokens.mask),
  });
});

test("a line longer than one read is found as a whole", async () => {
  const { fileSystem, reader } = await writtenRun();
  const long = JSON.stringify({ step: 2, note: "x".repeat(3_000_000) });
  await fileSystem.append(runPaths("run").metrics, `${long}\n{"step":3}\n`);
  expect((await reader.metrics()).map(({ step }) => step)).toEqual([0, 1, 2, 3]);
});

test("an empty folder reads as an empty run", async () => {
  const reader = createRunReader(createMemoryFileSystem(), "nothing");
  expect(await reader.metrics()).toEqual([]);
  expect(await reader.steps()).toEqual([]);
  expect(await reader.rollouts(0)).toEqual([]);
});

test("a file truncated at any byte yields a prefix of its content, without an error", async () => {
  const { fileSystem, reader } = await writtenRun();
  const whole = new Map(fileSystem.files);
  const paths = [...whole.keys()];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (path, share) => {
        const bytes = whole.get(path) ?? new Uint8Array();
        for (const [name, content] of whole) fileSystem.files.set(name, content);
        fileSystem.files.set(path, bytes.slice(0, Math.floor(bytes.length * share)));

        const rows = await reader.metrics();
        expect([0, 1].slice(0, rows.length)).toEqual(rows.map(({ step }) => step));
        expect((await readCheckpoints(fileSystem, "run")).length).toBeLessThanOrEqual(1);
        expect((await collect(readEvents(fileSystem, "run"))).length).toBeLessThanOrEqual(1);
        for (const summary of await reader.rollouts(0)) {
          const body = await reader.body(summary);
          if (body !== null) expect(body.rollout).toBe(summary.rollout);
          for (const place of summary.tokenData) {
            const record = await reader.tokens(summary, place);
            if (record !== null) expect(record.stream).toBe(place.stream);
          }
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("an implausible location in a damaged index is not read", async () => {
  const { fileSystem, reader } = await writtenRun();
  const [summary] = await reader.rollouts(0);
  const damaged = { ...summary, offset: 0, length: 1e12 };
  expect(await reader.body({ ...aSummary(summary), ...damaged })).toBeNull();
  fileSystem.files.delete(stepPaths("run", 0).bodies);
  expect(await reader.body(aSummary(summary))).toBeNull();
});

function aSummary<T>(summary: T | undefined): T {
  if (summary === undefined) throw new Error("The run has no rollout.");
  return summary;
}

test("a secret in a tool's answer is written to no rollout file", async () => {
  const fileSystem = createMemoryFileSystem();
  const redactor = new Redactor();
  redactor.learn("wss-secret-value");
  const store = createRolloutStore({ fileSystem, redactor, folder: "run" });
  await store.addRollout(aRecord({ error: "The tool printed wss-secret-value." }));
  const { bodies, index } = stepPaths("run", 0);
  const texts = await Promise.all([fileSystem.readText(bodies), fileSystem.readText(index)]);
  expect(texts.join("")).toContain("The tool printed ***.");
  expect(texts.join("")).not.toContain("wss-secret-value");
});
