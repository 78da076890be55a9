import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  type PrepareOptions,
  prepareRun as prepareOurs,
} from "../../../src/core/training/prepare.ts";
import {
  batchAt,
  createTaskSequence,
  type TaskSequence,
  type TaskSource,
  totalSteps,
} from "../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { loadModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { configIn, messagesIn } from "../../core/config/configText.ts";
import { scriptedEnvironment } from "../../core/rollout/scriptedEnvironment.ts";
import { positionOf, prepareRun } from "../../core/training/loop/prepareRun.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { fakeTinker } from "../../fakes/fakeTinker.ts";
import * as original from "./original.ts";

const folder = fileURLToPath(new URL("../../../src/local/engine/model", import.meta.url));
const tokenizer = await loadModelTokenizer(folder);

const TASKS = [0, 1, 2, 3, 4, 5, 6, 7];

function sequenceOf(count: number): TaskSequence {
  const source: TaskSource = {
    environment: "a/b",
    split: "train",
    count,
    shuffle: true,
    numSamples: null,
    weight: 1,
  };
  return createTaskSequence([source], 42, "proportional", sha256);
}

/** Task indices of all steps of a plan, step by step. */
function ourBatches(count: number, batch_size: number, num_epochs: number) {
  const sequence = sequenceOf(count);
  const plan = { batch_size, num_epochs, max_steps: null };
  const steps = totalSteps(plan, sequence.epochLength) ?? 0;
  return Array.from({ length: steps }, (_, step) =>
    batchAt(sequence, step * batch_size, plan).map(({ index }) => index),
  );
}

/** How often each task was issued. */
function timesIssued(batches: readonly (readonly number[])[]): readonly number[] {
  return TASKS.map((task) => batches.flat().filter((index) => index === task).length);
}

describe("the order of tasks", () => {
  it("every epoch holds every task exactly once", () => {
    const random = original.sharedRandom(42);
    const steps = original.plannedSteps(TASKS.length, 4, 3);
    const theirs = Array.from({ length: steps }, () => original.batch(TASKS, 4, random));
    expect(theirs.flat()).toHaveLength(24);
    expect(new Set(timesIssued(theirs)).size).toBeGreaterThan(1);
    expect(timesIssued(ourBatches(TASKS.length, 4, 3))).toEqual(TASKS.map(() => 3));
  });

  it("a batch larger than the data still makes steps", () => {
    expect(original.plannedSteps(TASKS.length, 12, 3)).toBe(0);
    const batches = ourBatches(TASKS.length, 12, 3);
    expect(batches.map((batch) => batch.length)).toEqual([12, 12]);
    expect(timesIssued(batches)).toEqual(TASKS.map(() => 3));
  });

  it("data without a task is refused instead of stepping through nothing for ever", () => {
    const steps = Array.from({ length: 100 }, () => original.batch([], 4, Math.random));
    expect(steps.flat()).toEqual([]);
    expect(() => sequenceOf(0)).toThrow(expect.objectContaining({ code: "no-tasks" }));
    const text = "model_name: a/b\nbatch_size: 4\nenvironments: ";
    expect(messagesIn(`${text}{}`)).toHaveLength(1);
    expect(messagesIn(`${text}{o/E: {num_rollouts: 2, splits: {}}}`)).toHaveLength(1);
  });
});

describe("several environments", () => {
  const NAMES = ["one/Game", "two/Game"];
  const text = `model_name: local/tiny-tool
batch_size: 1
environments:
${NAMES.map((name) => `  ${name}: {num_rollouts: 2, splits: {train: }}\n`).join("")}`;

  /** Prepares a run; `delays` are the milliseconds after which each environment answers how many tasks it has. */
  async function prepare(delays: readonly number[]) {
    const clock = new FakeClock();
    const service = await fakeTinker().connect();
    const can = { isTrainable: true, isSampleable: true };
    const model = { name: "local/tiny-tool", maxContextLength: null, ...can };
    const options: PrepareOptions = {
      config: configIn(text),
      service: { ...service, capabilities: async () => [model] },
      sha256,
      clock,
      random: { uuid: () => "id", uniform: () => 0 },
      environment: (name) => ({
        ...scriptedEnvironment(),
        name,
        numTasks: async () => {
          await clock.sleep(delays[NAMES.indexOf(name)] ?? 0);
          return 8;
        },
      }),
      loadModel: async () => tokenizer,
      secretsOf: async () => ({}),
      onPart: () => undefined,
      onWarning: () => undefined,
    };
    const prepared = await clock.run(prepareOurs(options));
    service.close();
    const items = Array.from({ length: 16 }, (_, at) => prepared.sequence.itemAt(at));
    return { ...prepared, items };
  }

  it("environments are distinguished by their full names", async () => {
    expect([...original.environmentsByName(NAMES).values()]).toEqual(["two/Game"]);
    const { environments, items } = await prepare([0, 0]);
    expect([...environments.keys()]).toEqual(NAMES);
    for (const name of NAMES) {
      const own = items.filter(({ environment }) => environment === name);
      expect(own.map(({ index }) => index).toSorted()).toEqual(TASKS);
    }
  });

  it("tasks have one order, whichever environment answers first", async () => {
    const arrivals = NAMES.map((name) => ({ name, count: 8 }));
    const theirs = [arrivals, arrivals.toReversed()].map((order) =>
      original.taskOrders(order, original.sharedRandom(42)).get("one/Game"),
    );
    expect(theirs[0]).not.toEqual(theirs[1]);
    const [first, second] = [await prepare([0, 500]), await prepare([500, 0])];
    expect(second.items).toEqual(first.items);
  });
});

it("a resumed run goes on with the tasks, seeds and data that come next", async () => {
  const whole = prepareRun({ steps: 6 });
  await whole.run();
  const first = prepareRun({ steps: 3 });
  await first.run();

  // The original took the weights along and began at step 0.
  const replayed = prepareRun({ steps: 3 });
  await replayed.run();
  expect(replayed.sampler.requests).toEqual(first.sampler.requests);
  expect(replayed.saves()).toEqual(first.saves());
  expect(replayed.rows().map(stepOf)).toEqual(first.rows().map(stepOf));

  const rest = prepareRun({ steps: 6 });
  await rest.run(await positionOf(first));
  const played = [first, rest];
  expect(played.flatMap(({ remote }) => remote.choices)).toEqual(whole.remote.choices);
  expect(played.flatMap(({ sampler }) => sampler.requests)).toEqual(whole.sampler.requests);
  const sent = ({ context }: typeof whole) => context.client.lossCalls;
  expect(played.flatMap(sent)).toEqual(sent(whole));
  expect(played.flatMap((run) => run.rows().map(stepOf))).toEqual([0, 1, 2, 3, 4, 5]);
  expect(new Set(played.flatMap((run) => run.saves())).size).toBe(2);
});

function stepOf(row: unknown): unknown {
  return row instanceof Object && "step" in row ? row.step : null;
}
