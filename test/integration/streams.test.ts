import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createRunReader, type RunReader } from "../../src/core/runFolder/reader.ts";
import { filesOnDisk } from "../fakes/onDisk.ts";
import { isInSecondStep, killedWhen, trained } from "./comparedRuns.ts";
import { resume, runIn, train } from "./controlledRun.ts";
import { runFolderWith } from "./localRun.ts";

const MODEL = fileURLToPath(new URL("../../src/local/engine/model", import.meta.url));
const files = filesOnDisk();
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
max_steps: 3
save_every: 1
`;

/** A folder for a run whose template drops the reasoning of earlier turns, including the empty one it opens with. */
async function pruningHome(): Promise<string> {
  const home = await runFolderWith(CONFIG);
  const folder = join(home, "tokenizer");
  await mkdir(folder);
  for (const file of ["tokenizer.json", "tokenizer_config.json"]) {
    await copyFile(join(MODEL, file), join(folder, file));
  }
  const template = await readFile(join(MODEL, "chat_template.jinja"), "utf8");
  const pruning = template
    .replace("(message.content or '')", "(message.content or '').split('</think>')[-1]")
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

describe("a local run whose template drops the reasoning of earlier turns", () => {
  it("trains each sampled token once, and repeats an interrupted step exactly", async () => {
    const whole = await pruningHome();
    expect((await train(whole).ended).outcome).toBe("done");

    const reader = createRunReader(files.within(runIn(whole)), runIn(whole));
    const steps = await Promise.all([0, 1, 2].map((step) => storedTokens(reader, step)));
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
    await killedWhen(["train", join(cut, "config.yaml")], {}, () => isInSecondStep(runIn(cut)));
    expect((await resume(cut).ended).outcome).toBe("done");
    expect(await trained(runIn(cut))).toEqual(await trained(runIn(whole)));
  });
});
