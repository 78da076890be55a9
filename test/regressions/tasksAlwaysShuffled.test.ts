import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type PrepareOptions, prepareRun } from "../../src/core/training/prepare.ts";
import { batchAt, type TaskItem, totalSteps } from "../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../src/node/hash.ts";
import { loadModelTokenizer } from "../../src/node/tokenizer/modelTokenizer.ts";
import { configIn, messagesIn } from "../core/config/configText.ts";
import { scriptedEnvironment } from "../core/rollout/scriptedEnvironment.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { fakeTinker } from "../fakes/fakeTinker.ts";

const folder = fileURLToPath(new URL("../../src/local/engine/model", import.meta.url));
const tokenizer = await loadModelTokenizer(folder);

/** The plan of a run over environments with so many tasks in each of their splits. */
async function plan(tasks: readonly number[], batchSize: number, ...lines: readonly string[]) {
  const environments = tasks.map(
    (_, i) => `  owner/E${i}: { num_rollouts: 2, splits: { train: {} } }\n`,
  );
  const config = configIn(
    `model_name: local/tiny-tool\nbatch_size: ${batchSize}\n${lines.join("\n")}\nenvironments:\n${environments.join("")}`,
  );
  const clock = new FakeClock();
  const service = await fakeTinker().connect();
  const options: PrepareOptions = {
    config,
    service: { ...service, capabilities: async () => null },
    sha256,
    clock,
    random: { uuid: () => "id", uniform: () => 0 },
    environment: (name) => ({
      ...scriptedEnvironment(),
      name,
      numTasks: async () => tasks[Number(name.slice(-1))] ?? 0,
    }),
    loadModel: async () => tokenizer,
    secretsOf: async () => ({}),
    onPart: () => undefined,
    onWarning: () => undefined,
  };
  const { sequence, totalSteps: steps } = await clock.run(prepareRun(options));
  service.close();
  const batch = (cursor: number) => batchAt(sequence, cursor, config);
  return { config, sequence, steps, batch };
}

const indices = (items: readonly TaskItem[]) => items.map(({ index }) => index);

describe("shuffle", () => {
  it("is a key of the run, on by default", () => {
    const text = "model_name: local/tiny-tool\nbatch_size: 1\n";
    const rest = "environments: { o/E: { num_rollouts: 2, splits: { train: {} } } }\n";
    expect(configIn(text + rest).shuffle).toBe(true);
    expect(configIn(`${text}shuffle: false\n${rest}`).shuffle).toBe(false);
    expect(messagesIn(`${text}shuffle: 3\n${rest}`)).toEqual([
      expect.stringContaining("Expected true or false, got 3. (shuffle)"),
    ]);
  });

  it("off outweighs that of a split, which is marked", () => {
    const text = `model_name: local/tiny-tool
batch_size: 1
shuffle: false
environments: { o/E: { num_rollouts: 2, splits: { train: { shuffle: true }, test: {} } } }
`;
    expect(messagesIn(text)).toEqual([
      expect.stringMatching(
        /warning: TRL217 .*no effect.*\(environments\.o\/E\.splits\.train\.shuffle\)$/,
      ),
    ]);
    expect(messagesIn(text.replace("shuffle: false\n", ""))).toEqual([]);
  });

  it("off takes tasks by index, in batches that go across the ends of epochs", async () => {
    const { batch, steps } = await plan([5], 3, "shuffle: false", "num_epochs: 2");
    const batches = [0, 3, 6, 9].map((cursor) => indices(batch(cursor)));
    expect(batches).toEqual([[0, 1, 2], [3, 4, 0], [1, 2, 3], [4]]);
    expect(steps).toBe(4);
  });

  it("on keeps the order that runs had before the key", async () => {
    const written = await plan([8], 8, "shuffle: true");
    const absent = await plan([8], 8);
    expect(written.sequence.fingerprint).toBe(absent.sequence.fingerprint);
    expect(indices(absent.batch(0))).not.toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it("off is another plan, which no resume mistakes for the shuffled one", async () => {
    const on = await plan([8], 8);
    const off = await plan([8], 8, "shuffle: false");
    expect(off.sequence.fingerprint).not.toBe(on.sequence.fingerprint);
  });

  it("off holds for any plan: index order in every epoch, every task once, and no batch short but the last", async () => {
    const shape = fc.record({
      tasks: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      batchSize: fc.integer({ min: 1, max: 12 }),
      epochs: fc.integer({ min: 1, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(shape, async ({ tasks, batchSize, epochs }) => {
        const run = await plan(tasks, batchSize, "shuffle: false", `num_epochs: ${epochs}`);
        const length = tasks.reduce((sum, count) => sum + count, 0);
        const batches: (readonly TaskItem[])[] = [];
        // As the loop goes, and as a resume does: each batch begins at the saved cursor.
        for (let cursor = 0; cursor < length * epochs; cursor += batches.at(-1)?.length ?? 1) {
          batches.push(run.batch(cursor));
        }
        expect(batches).toHaveLength(totalSteps(run.config, length) ?? -1);
        expect(batches.slice(0, -1).every((items) => items.length === batchSize)).toBe(true);
        const items = batches.flat();
        expect(items).toHaveLength(length * epochs);
        for (const [i, count] of tasks.entries()) {
          const own = items.filter(({ environment }) => environment === `owner/E${i}`);
          const oneEpoch = Array.from({ length: count }, (_, index) => index);
          expect(indices(own)).toEqual(Array.from({ length: epochs }, () => oneEpoch).flat());
          expect(own.map(({ epoch }) => epoch)).toEqual(own.map((_, at) => Math.floor(at / count)));
        }
      }),
      { numRuns: 15 },
    );
  });
});
