import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readState } from "../../src/core/runFolder/state.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { changeCheckpoints } from "../../src/trainer/checkpoints/changeCheckpoints.ts";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { comparableRow, withoutKeys } from "./comparableRow.ts";
import { PROGRAM_FOLDER, readLines, runFolderWith } from "./localRun.ts";

describe("a local run whose last checkpoint was deleted", () => {
  const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
  const config = (steps: number) => `
model_name: local/tiny-tool
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: 0 }
batch_size: 2
max_steps: ${steps}
save_every: 2
rolling_save_every: 0
`;

  it("continues from the one before, as if it had never ended", async () => {
    const run = (home: string) => join(home, ".tinker-rl", "runs", "run");
    const outcome = async (home: string) => ({
      rows: (await readLines(join(run(home), "metrics.jsonl")))
        .map(comparableRow)
        .map((row) => withoutKeys(row, new Set(["done_frac"]))),
      tokens: await readFile(join(run(home), "rollouts", "step-000003.tokens.bin"), "base64"),
    });
    const whole = await runFolderWith(config(4));
    const watch = (): void => undefined;
    await startTraining({ ...base, configPath: join(whole, "config.yaml"), watch }).ended;

    const cut = await runFolderWith(config(4));
    const ended = startTraining({
      ...base,
      configPath: join(cut, "config.yaml"),
      overrides: ["max_steps=3"],
      watch,
    }).ended;
    expect((await ended).outcome).toBe("done");
    const files = createFileSystem();
    const last = await readState(files.within(run(cut)), run(cut));
    const paths = [last?.last_checkpoint?.state_path ?? ""];
    const change = { action: "delete" } as const;
    const of = { paths, change, isLocalOnly: true, folder: cut, allowedOrigins: [] };
    for await (const { place } of changeCheckpoints(files, of)) expect(place).toBe("this computer");
    await files.close();

    const seen: ProgressEvent[] = [];
    const resumed = resumeTraining({
      ...base,
      folder: run(cut),
      overrides: ["max_steps=4"],
      watch: (event) => seen.push(event),
    });
    expect((await resumed.ended).outcome).toBe("done");
    expect(seen).toContainEqual({
      kind: "warning",
      message: expect.stringMatching(/final_000003 was deleted.*checkpoint_000002.*1 step is/),
    });
    expect(await outcome(cut)).toEqual(await outcome(whole));
  });
});
