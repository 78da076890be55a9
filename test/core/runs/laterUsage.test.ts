import { expect, it } from "vitest";
import { laterUsage } from "../../../src/core/runs/laterUsage.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const ROLLOUTS = 40_000;

/** The folder of a run with one row, followed by more rollouts than usual. */
async function aLongEvaluation() {
  const files = createMemoryFileSystem();
  const tokens = { ...NO_TOKENS, sampled: 1 };
  const line = `${JSON.stringify({ for: "evaluation", step: 1, environment: "Owner/Game", temperature: 0, tokens })}\n`;
  const before = JSON.stringify({ for: "update", step: 0, tokens: { ...NO_TOKENS, trained: 7 } });
  const row = JSON.stringify({ for: "row", step: 0, seconds: 1 });
  await files.append("/run/usage.jsonl", `${before}\n${row}\n${line.repeat(ROLLOUTS)}`);
  return files;
}

it("the usage after the last row is complete however much there is", async () => {
  const files = await aLongEvaluation();
  expect(await laterUsage(files, "/run", 1)).toMatchObject({ tokens: ROLLOUTS });
  expect(await laterUsage(files, "/run", 0)).toMatchObject({ tokens: ROLLOUTS + 7 });
  expect(await laterUsage(files, "/run", 2)).toMatchObject({ tokens: 0 });
});
