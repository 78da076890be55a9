/** Generated run folders of a sweep with planted effects: the learning rate matters, the batch size hardly, the loss not at all. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createUniform } from "../../src/shared/uniform.ts";
import { aRunFile } from "../core/runFolder/builders.ts";

const RATES = ["1e-4", "1e-3", "1e-2"];
const SIZES = ["8", "16", "64"];
const LOSSES = ["ppo", "cispo"];
const SEEDS = ["1", "2"];
const STEPS = 20;
const START_MS = Date.UTC(2026, 9, 1, 8);
const LEVELS: Readonly<Record<string, number>> = { "1e-4": 0.35, "1e-3": 0.8, "1e-2": 0.55 };

export const SWEPT = { id: "sweep-1", name: "math-sweep", runs: 36 } as const;

/** All runs are done except the last, which was stopped early. Returns their folders. */
export function writeSweptRuns(parent: string): readonly string[] {
  const combinations = RATES.flatMap((rate) =>
    SIZES.flatMap((size) =>
      LOSSES.flatMap((loss) => SEEDS.map((seed) => ({ rate, size, loss, seed }))),
    ),
  );
  const uniform = createUniform(3);
  return combinations.map(({ rate, size, loss, seed }, index) => {
    const name = `${SWEPT.name}.${index + 1}`;
    const folder = join(parent, name);
    const isStopped = index === combinations.length - 1;
    const settings = [
      `learning_rate=${rate}`,
      `batch_size=${size}`,
      `loss_fn=${loss}`,
      `seed=${seed}`,
    ];
    const file = aRunFile({
      runId: `run-${index}`,
      name,
      startedAtMs: START_MS + index * 60_000,
      heartbeatAtMs: START_MS + index * 60_000,
      phase: isStopped ? "stopped" : "done",
      configPath: "/project/tinker-config.yaml",
      sweep: {
        id: SWEPT.id,
        name: SWEPT.name,
        combination: index,
        combinations: combinations.length,
        settings,
      },
    });
    const config = {
      model_name: "local/tiny-tool",
      learning_rate: Number(rate),
      batch_size: Number(size),
      loss_fn: loss,
      seed: Number(seed),
    };
    const reached =
      (LEVELS[rate] ?? 0) + 0.02 * Math.log2(Number(size) / 8) + 0.5 * (uniform() - 0.5);
    const rows = Array.from({ length: isStopped ? STEPS / 2 : STEPS }, (_, step) => ({
      step,
      rollout: { reward: { mean: (reached * (step + 1)) / STEPS } },
      time: { total_s: 2 },
    }));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "run.json"), JSON.stringify(file));
    writeFileSync(join(folder, "config.resolved.json"), JSON.stringify(config));
    writeFileSync(
      join(folder, "metrics.jsonl"),
      rows.map((row) => `${JSON.stringify(row)}\n`).join(""),
    );
    return folder;
  });
}
