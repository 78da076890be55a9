import { expect, it } from "vitest";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { estimateBasis } from "../../../src/trainer/estimate/estimateBasis.ts";
import { aRunFile } from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";

const CONFIG = {
  model_name: "local/tiny-tool",
  environments: { "local/calculator": { splits: { train: {} }, num_rollouts: 2 } },
  batch_size: 2,
  max_steps: 2,
};
const HOSTED = "Qwen/Qwen3-8B";

/** A line of `usage.jsonl`. */
const anUpdate = () => ({ for: "update", step: 0, tokens: { ...NO_TOKENS, trained: 10 } });

/** Of a sweep over the embedded and a hosted model, of which those in `played` have a past run. */
async function basisOfSweep(...played: readonly string[]) {
  const files = createMemoryFileSystem();
  await files.writeAtomic("/project/config.json", JSON.stringify(CONFIG));
  for (const [at, model] of played.entries()) {
    const paths = runPaths(`/project/.tinker-rl/runs/${at}`);
    await files.writeAtomic(paths.resolvedConfig, JSON.stringify({ ...CONFIG, model_name: model }));
    await files.writeAtomic(paths.runFile, JSON.stringify(aRunFile({ startedAtMs: at + 1 })));
    await files.writeAtomic(paths.metrics, "{}\n");
    await files.writeAtomic(paths.usage, encodeJsonLine(anUpdate()));
  }
  const grid = [`model_name=local/tiny-tool,${HOSTED}`, "seed=1,2"];
  return await estimateBasis(files, { configPath: "/project/config.json", grid });
}

it("asks for consent for the run of a sweep that costs money and has no past run", async () => {
  const unplayed = { pastRun: null, model: HOSTED, isBilled: true };
  expect(await basisOfSweep()).toEqual(unplayed);
  expect(await basisOfSweep("local/tiny-tool")).toEqual(unplayed);
});

it("needs none when the only run without a past run is free, but still does for groups that are asked for", async () => {
  expect(await basisOfSweep(HOSTED)).toEqual({
    pastRun: "/project/.tinker-rl/runs/0",
    model: HOSTED,
    isBilled: true,
  });
});

it("looks once at the past runs for all runs with the same basis", async () => {
  const files = createMemoryFileSystem();
  await files.writeAtomic("/project/config.json", JSON.stringify(CONFIG));
  let looks = 0;
  const counting = {
    ...files,
    list: async (path: string) => {
      looks += 1;
      return await files.list(path);
    },
  };
  await estimateBasis(counting, { configPath: "/project/config.json", grid: ["seed=1,2,3,4"] });
  expect(looks).toBe(1);
});
