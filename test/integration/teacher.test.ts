/** A teacher that reads more context than the policy, on the embedded engine. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { createRunReader } from "../../src/core/runFolder/reader.ts";
import type { TokenRecord } from "../../src/core/runFolder/rollouts/tokenRecord.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { Arena } from "../../src/local/engine/arena.ts";
import { loadModelFolder } from "../../src/local/engine/modelFolder.ts";
import { Network } from "../../src/local/engine/network.ts";
import { Weights } from "../../src/local/engine/weights.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { KERNELS } from "../local/engine/testModel.ts";
import { execute, runFolderWith } from "./localRun.ts";

const MODEL = fileURLToPath(new URL("../../src/local/engine/model", import.meta.url));
const HINT = "Call calc with the two numbers first, and answer with what it returns.";
const STEPS = 2;
const ROWS = 1024;

const configOf = (context: string): string => `
model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 3, nonterminal_reward: 0, max_turns: 4 }
batch_size: 4
max_steps: ${STEPS}
learning_rate: 1e-3
warmup_steps: 0
teacher: { model: local/tiny-tool, rewards: false${context} }
save_every: 0
rolling_save_every: 0
`;

interface PlayedStream extends TokenRecord {
  readonly promptText: string;
}

/** The token streams that a run trained. */
async function trainedStreams(context: string): Promise<readonly PlayedStream[]> {
  const events: ProgressEvent[] = [];
  const watch = (event: ProgressEvent) => void events.push(event);
  const run = execute(await runFolderWith(configOf(context)), { watch });
  // Without a context, a teacher with the policy's own weights teaches nothing.
  if (context === "") await expect(run).rejects.toMatchObject({ code: "empty-steps" });
  else await run;
  const folder = events.find((event) => event.kind === "started")?.folder ?? "";
  const files = createFileSystem();
  const reader = createRunReader(files.within(folder), join(folder));
  const streams: PlayedStream[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    for (const summary of await reader.rollouts(step)) {
      const { promptText = "" } = (await reader.body(summary)) ?? {};
      for (const place of summary.tokenData) {
        const record = await reader.tokens(summary, place);
        if (record !== null) streams.push({ ...record, promptText });
      }
    }
  }
  await files.close();
  return streams;
}

/** The teacher's log-prob of each trained token: with `coef: 1` the advantage is the teacher's log-prob minus the policy's. */
function taught({ mask, samplerLogprobs, advantages }: PlayedStream): readonly number[] {
  return Array.from(mask, (isTrained, i) =>
    isTrained === 1 ? (samplerLogprobs[i] ?? 0) + (advantages[i] ?? 0) : Number.NaN,
  );
}

describe("a teacher with a context", () => {
  let network: Network;
  let encode: (text: string) => readonly number[];

  beforeAll(async () => {
    const { arch, base } = await loadModelFolder(MODEL);
    const weights = new Weights(await Arena.load(KERNELS), arch, base, 8);
    network = new Network(weights, { kind: "full" }, ROWS);
    const { tokenizer } = await loadModelTokenizer(MODEL);
    encode = (text) => tokenizer.encodeText(text);
  });

  /** Log-probabilities of the base model for every token after the first. */
  function direct(ids: readonly number[]): readonly number[] {
    const sequence = {
      tokens: Int32Array.from(ids.slice(0, -1)),
      targets: Int32Array.from(ids.slice(1)),
    };
    return [Number.NaN, ...network.forward([sequence])];
  }

  /** The ids with the hint inserted after the text of the task, wherever it occurs. */
  function withHint({ ids, promptText }: PlayedStream) {
    const all = Array.from(ids);
    const task = encode(promptText);
    const at = all.findIndex((_, i) => task.every((id, j) => all[i + j] === id));
    expect(at).toBeGreaterThan(0);
    const longer = encode(`${promptText}\n\n${HINT}`);
    return {
      ids: [...all.slice(0, at), ...longer, ...all.slice(at + task.length)],
      shift: longer.length - task.length,
    };
  }

  it("scores the policy's tokens as the model does after reading the context", async () => {
    const streams = await trainedStreams(`, context: "${HINT}"`);
    expect(streams.length).toBeGreaterThan(STEPS * 4);
    let most = 0;
    for (const stream of streams) {
      const { ids, shift } = withHint(stream);
      const [behindHint, without] = [direct(ids), direct(Array.from(stream.ids))];
      for (const [i, logprob] of taught(stream).entries()) {
        if (Number.isNaN(logprob)) continue;
        expect(logprob).toBeCloseTo(behindHint[i + shift] ?? Number.NaN, 3);
        most = Math.max(most, Math.abs(logprob - (without[i] ?? Number.NaN)));
      }
    }
    // The context makes a difference.
    expect(most).toBeGreaterThan(0.1);
  });

  it("without a context scores the tokens as the model does after the policy's prompt", async () => {
    for (const stream of await trainedStreams("")) {
      const without = direct(Array.from(stream.ids));
      for (const [i, logprob] of taught(stream).entries()) {
        if (!Number.isNaN(logprob)) expect(logprob).toBeCloseTo(without[i] ?? Number.NaN, 3);
      }
    }
  });
});
