import { expect, test } from "vitest";
import { stepPaths } from "../../../../src/core/runFolder/files/layout.ts";
import { createRolloutStore } from "../../../../src/core/runFolder/rollouts/rolloutStore.ts";
import {
  decodeTokenRecord,
  type TokenRecord,
} from "../../../../src/core/runFolder/rollouts/tokenRecord.ts";
import { Redactor } from "../../../../src/core/secrets/redaction/redactor.ts";
import { createMemoryFileSystem } from "../memoryFileSystem.ts";

function recordOf(rollout: number, tokens: number): TokenRecord {
  const zeros = new Array<number>(tokens).fill(0);
  return {
    group: 0,
    rollout,
    stream: 0,
    ids: zeros.map((_, i) => i + rollout),
    samplerLogprobs: zeros,
    trainerLogprobs: zeros,
    advantages: zeros,
    turns: zeros,
    mask: zeros,
  };
}

test("token records of any size are where their lines say, even when written in batches", async () => {
  const fileSystem = createMemoryFileSystem();
  let writes = 0;
  const counted = {
    ...fileSystem,
    append: (path: string, data: string | Uint8Array) => {
      writes += 1;
      return fileSystem.append(path, data);
    },
  };
  const store = createRolloutStore({
    fileSystem: counted,
    redactor: new Redactor(),
    folder: "run",
  });
  // One record alone is larger than a batch, and 600 small ones do not fit into one.
  const records = [0, 1, 70_000, ...new Array<number>(600).fill(3)].map((tokens, rollout) =>
    recordOf(rollout, tokens),
  );
  await store.addTokens(2, records);
  const { index, tokens } = stepPaths("run", 2);
  const lines = (await fileSystem.readText(index))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const bytes = await fileSystem.readBytes(tokens);
  const read = lines.map(({ offset, length }) =>
    decodeTokenRecord(bytes.slice(offset, offset + length)),
  );
  expect(read.map((record) => [record?.rollout, record?.ids.length, record?.ids[0]])).toEqual(
    records.map(({ rollout, ids }) => [rollout, ids.length, ids[0]]),
  );
  expect(lines.map(({ rollout }) => rollout)).toEqual(records.map(({ rollout }) => rollout));
  expect(writes).toBeLessThan(10);
});

test("the token records of a step are created as they are written", async () => {
  const fileSystem = createMemoryFileSystem();
  let writes = 0;
  const counted = {
    ...fileSystem,
    append: (path: string, data: string | Uint8Array) => {
      writes += 1;
      return fileSystem.append(path, data);
    },
  };
  const writesBefore: number[] = [];
  function* records(): Generator<TokenRecord> {
    const zeros = new Float32Array(60_000);
    const columns = { samplerLogprobs: zeros, trainerLogprobs: zeros, advantages: zeros };
    for (const rollout of [0, 1, 2]) {
      writesBefore.push(writes);
      const place = { group: 0, rollout, stream: 0 };
      yield { ...place, ...columns, ids: zeros, turns: zeros, mask: zeros };
    }
  }
  const store = createRolloutStore({
    fileSystem: counted,
    redactor: new Redactor(),
    folder: "run",
  });
  await store.addTokens(0, records());
  expect(writesBefore).toEqual([0, 1, 2]);
});
