import { expect, test } from "vitest";
import { stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { encodeTokenRecord } from "../../../../src/core/runFolder/rollouts/tokenRecord.ts";
import { readTokenSummary } from "../../../../src/core/runFolder/rollouts/tokenSummary.ts";
import { createMemoryFileSystem } from "../memoryFileSystem.ts";

const SET = { source: "training", step: 0 } as const;

/** A record after another one, whose trained tokens get log-probabilities from `logprob`. */
async function written(tokens: number, logprob: (token: number) => number) {
  const files = createMemoryFileSystem();
  const all = Array.from({ length: tokens }, (_, token) => token);
  const bytes = encodeTokenRecord({
    group: 0,
    rollout: 0,
    stream: 0,
    ids: all,
    turns: all.map(() => 0),
    samplerLogprobs: all.map(logprob),
    trainerLogprobs: all.map(() => 0),
    advantages: all.map((token) => (token % 2 === 0 ? 9 : 0.5)),
    mask: all.map((token) => token % 2),
  });
  const path = stepPaths("run", 0).tokens;
  await files.append(path, "12345678");
  const offset = await files.append(path, bytes);
  return { files, entry: { stream: 0, offset, length: bytes.length } };
}

test("a short rollout is summarized token by token, without tokens that were not trained on", async () => {
  const { files, entry } = await written(9, (token) => -token);
  expect(await readTokenSummary(files, "run", SET, entry)).toEqual({
    strip: Float32Array.of(-1, -3, -5, -7),
    tokenAdvantage: 0.5,
  });
});

test("a long rollout is sampled in pieces that still show its course", async () => {
  const { files, entry } = await written(200_000, (token) => (token < 100_000 ? -1 : -3));
  let read = 0;
  const counting = {
    ...files,
    within: files.within,
    readRange: async (path: string, offset: number, length: number) => {
      read += length;
      return await files.readRange(path, offset, length);
    },
  };
  const summary = await readTokenSummary(counting, "run", SET, entry);
  expect([...(summary?.strip ?? [])]).toEqual(
    Array.from({ length: 40 }, (_, at) => (at < 20 ? -1 : -3)),
  );
  expect(read).toBeLessThan(100_000);
});

test("a truncated or missing record has no summary", async () => {
  const { files, entry } = await written(9, () => -1);
  expect(
    await readTokenSummary(files, "run", SET, { ...entry, length: entry.length + 4 }),
  ).toBeNull();
  expect(await readTokenSummary(files, "run", SET, { ...entry, offset: 0 })).toBeNull();
});
