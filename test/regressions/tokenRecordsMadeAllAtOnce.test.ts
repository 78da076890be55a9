import { expect, test } from "vitest";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import type { TokenRecord } from "../../src/core/runFolder/rollouts/tokenRecord.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";

test("the token records of a step are made as they are written, where all stood in memory at once", async () => {
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
