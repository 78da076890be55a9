import { copyFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createRunReader, type RunReader } from "../../src/core/runFolder/reader.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { resumeTraining, startTraining } from "../../src/trainer/trainer.ts";
import { comparableRow } from "./comparableRow.ts";
import { PROGRAM_FOLDER, readLines, runFolderWith } from "./localRun.ts";
import { endOf, startProgram } from "./trainProgram.ts";

const MODEL = fileURLToPath(new URL("../../src/local/engine/model", import.meta.url));
const STEPS = 3;
const CONFIG = `
model_name: local/tiny-tool
tokenizer_name: ./tokenizer
chat_format: template
thinking: { enabled: true, retention: template }
run_name: run
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 4, nonterminal_reward: -1, max_turns: 4 }
advantage_calculation: direct
batch_size: 2
max_steps: ${STEPS}
save_every: 1
`;
const base = { owner: "terminal", programFolder: PROGRAM_FOLDER } as const;
const runOf = (home: string) => join(home, ".tinker-rl", "runs", "run");

/** A folder for a run whose template drops the reasoning of earlier turns, the empty one that it opens with included. */
async function pruningHome(): Promise<string> {
  const home = await runFolderWith(CONFIG);
  const folder = join(home, "tokenizer");
  await mkdir(folder);
  for (const file of ["tokenizer.json", "tokenizer_config.json"]) {
    await copyFile(join(MODEL, file), join(folder, file));
  }
  const template = await readFile(join(MODEL, "chat_template.jinja"), "utf8");
  const pruning = template
    .replace("+ message.content -}}", "+ message.content.split('</think>')[-1] -}}")
    .replace(
      "{{- '<|im_start|>assistant\\n' -}}\n{%- endif -%}",
      "{{- '<|im_start|>assistant\\n<think></think>' -}}\n{%- endif -%}",
    );
  if (pruning.split("think>").length !== 4)
    throw new Error("the template is not the one of before");
  await writeFile(join(folder, "chat_template.jinja"), pruning);
  return home;
}

async function storedTokens(reader: RunReader, step: number) {
  const rollouts = await reader.rollouts(step);
  return Promise.all(
    rollouts.map(async (summary) => {
      const body = await reader.body(summary);
      const records = await Promise.all(
        summary.tokenData.map((entry) => reader.tokens(summary, entry)),
      );
      return { turns: body?.turns ?? [], records };
    }),
  );
}

const outcome = async (home: string) => ({
  rows: (await readLines(join(runOf(home), "metrics.jsonl"))).map(comparableRow),
  tokens: await Promise.all(
    Array.from({ length: STEPS }, (_, step) =>
      readFile(join(runOf(home), "rollouts", `step-00000${step}.tokens.bin`), "base64"),
    ),
  ),
});

describe("a local run whose template drops the reasoning of earlier turns", () => {
  it("trains each sampled token once, and repeats a step that was cut off as it was", async () => {
    const whole = await pruningHome();
    const watch = (): void => undefined;
    const config = (home: string) => join(home, "config.yaml");
    const { outcome: ending } = await startTraining({ ...base, configPath: config(whole), watch })
      .ended;
    expect(ending).toBe("done");

    const files = createFileSystem();
    const reader = createRunReader(files.within(runOf(whole)), runOf(whole));
    const steps = await Promise.all([0, 1, 2].map((step) => storedTokens(reader, step)));
    await files.close();
    // An advantage of 0 leaves nothing to train.
    const played = steps.flat().filter(({ records }) => records.length > 0);
    expect(played.some(({ records }) => records.length > 1)).toBe(true);
    for (const { turns, records } of played) {
      expect(records.map((record) => record?.stream)).toEqual([
        ...new Set(turns.map(({ stream }) => stream)),
      ]);
      const trained = turns.map((_, turn) =>
        records.flatMap((record) =>
          Array.from(record?.turns ?? [], (of, i) => (of === turn ? (record?.mask[i] ?? 0) : 0)),
        ),
      );
      expect(trained.map((mask) => mask.filter((one) => one === 1).length)).toEqual(
        turns.map(({ tokens }) => tokens),
      );
    }

    const cut = await pruningHome();
    const child = startProgram(["train", config(cut)], {}, true);
    const ended = endOf(child);
    const rollouts = join(runOf(cut), "rollouts");
    while (!(await readdir(rollouts).catch((): string[] => [])).includes("step-000001.jsonl")) {
      if (child.exitCode !== null) throw new Error((await ended).stderr);
      await sleep(5);
    }
    process.kill(-(child.pid ?? 0), "SIGKILL");
    await ended;
    const resumed = await resumeTraining({ ...base, folder: runOf(cut), watch }).ended;
    expect(resumed.outcome).toBe("done");
    expect(await outcome(cut)).toEqual(await outcome(whole));
  });
});
