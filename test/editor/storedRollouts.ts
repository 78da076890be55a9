/** Reads the rollouts of a run from its files. */

import { createRunReader, type RolloutSummary } from "../../src/core/runFolder/reader.ts";
import type { RolloutRecord } from "../../src/core/runFolder/rollouts/rolloutRecord.ts";
import type { TokenRecord } from "../../src/core/runFolder/rollouts/tokenRecord.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";

interface StoredRollout {
  readonly summary: RolloutSummary;
  readonly body: RolloutRecord;
  readonly tokens: TokenRecord;
}

/** The rollouts of a step, in list order. */
export function storedRollouts(run: string, step: number): Promise<readonly RolloutSummary[]> {
  return reading(run, (reader) => reader.rollouts(step));
}

/** The first matching rollout of a step. @throws Error if there is none */
export function storedRollout(
  run: string,
  step: number,
  fits: (summary: RolloutSummary) => boolean,
): Promise<StoredRollout> {
  return reading(run, async (reader) => {
    const summary = (await reader.rollouts(step)).find(fits);
    const [entry] = summary?.tokenData ?? [];
    const body = summary === undefined ? null : await reader.body(summary);
    const tokens = summary && entry ? await reader.tokens(summary, entry) : null;
    if (summary === undefined || body === null || tokens === null) {
      throw new Error("The run has no such rollout.");
    }
    return { summary, body, tokens };
  });
}

async function reading<Found>(
  run: string,
  work: (reader: ReturnType<typeof createRunReader>) => Promise<Found>,
): Promise<Found> {
  const fileSystem = createFileSystem();
  try {
    return await work(createRunReader(fileSystem.within(run), run));
  } finally {
    await fileSystem.close();
  }
}
