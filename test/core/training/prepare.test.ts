import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { Chat } from "../../../src/core/chat/chat.ts";
import { withOnlyEvaluated } from "../../../src/core/config/taskChoices.ts";
import { AppError } from "../../../src/core/errors.ts";
import { readState, writeState } from "../../../src/core/runFolder/state.ts";
import { type PrepareOptions, prepareRun } from "../../../src/core/training/prepare.ts";
import { START, snapshotAt } from "../../../src/core/training/step/loopPosition.ts";
import { batchAt } from "../../../src/core/training/tasks/dataset.ts";
import { sha256 } from "../../../src/node/hash.ts";
import { loadModelTokenizer } from "../../../src/node/tokenizer/modelTokenizer.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { byteTokenizer } from "../chat/byteTokenizer.ts";
import { configIn, messagesIn, textWith } from "../config/configText.ts";
import { scriptedEnvironment } from "../rollout/scriptedEnvironment.ts";
import { aConfig } from "./builders.ts";
import { aContext, FOLDER, fakeService } from "./fakeContext.ts";

const FULL = new AppError("environment-capacity", "at maximum capacity");
const MINUTE_MS = 60_000;

interface Prepared extends Partial<PrepareOptions> {
  readonly numTasks?: (split: string, environment: string) => Promise<number>;
}

/** Prepares a run; the tokenizer loads only if the test gives it one. */
function prepare({ numTasks = async () => 8, ...options }: Prepared) {
  return prepareRun({
    config: aConfig(),
    service: { ...fakeService([]), capabilities: async () => null },
    sha256,
    clock: new FakeClock(),
    random: { uuid: () => "", uniform: () => 0 },
    environment: (name) => ({
      ...scriptedEnvironment(),
      name,
      numTasks: (split) => numTasks(split, name),
    }),
    loadModel: () => new Promise(() => undefined),
    secretsOf: async () => ({}),
    onPart: () => undefined,
    onWarning: () => undefined,
    ...options,
  });
}

/** Starts a run whose environment refuses the first queries with `fault`. */
function setUp(
  refusals: number,
  fault: Error,
  { offered = null, config = aConfig({ model_name: "Qwen/Qwen3-8B" }), ...options }: Offered = {},
) {
  const clock = new FakeClock();
  const warnings: string[] = [];
  let asked = 0;
  const numTasks = async (split: string) => {
    asked += 1;
    if (asked <= refusals) throw fault;
    if (split === "tset") {
      const data = { status: 400 };
      throw new AppError("environment-protocol", "There is no split tset.", { data });
    }
    return 8;
  };
  const models = offered?.map((name) => ({ name, maxContextLength: null, isTrainable: true }));
  const preparing = prepare({
    config,
    clock,
    numTasks,
    service: { ...fakeService([]), capabilities: async () => models ?? null },
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  return { clock, preparing, warnings: () => warnings.slice(1), asked: () => asked };
}

interface Offered extends Pick<Prepared, "config" | "isContinued"> {
  readonly offered?: readonly string[] | null;
}

describe("a run whose environment is at capacity at the start", () => {
  it("retries, and reports it once", async () => {
    const { clock, warnings, asked } = setUp(3, FULL);
    await clock.advance(MINUTE_MS);
    expect(asked()).toBe(4);
    expect(warnings()).toEqual([
      expect.stringMatching(/^Owner\/Game is full, so the run waits up to 30 min .*maximum/),
    ]);
  });

  it("ends with the refusal after half an hour", async () => {
    const { clock, preparing } = setUp(Number.POSITIVE_INFINITY, FULL);
    await expect(clock.run(preparing)).rejects.toBe(FULL);
    expect(clock.monotonic()).toBe(30 * MINUTE_MS);
  });

  it("ends immediately on any other error", async () => {
    const refused = new AppError("environment-auth", "No.");
    const { clock, preparing } = setUp(1, refused);
    await expect(clock.run(preparing)).rejects.toBe(refused);
    expect(clock.monotonic()).toBe(0);
  });
});

describe("a split that is only evaluated", () => {
  const evaluation = configIn(
    textWith("evaluation: { splits: { Owner/Game: [tset] }, at_start: false }"),
  ).evaluation;

  it.each(["rl", "sft"] as const)("is requested before a %s run begins", async (method) => {
    const { clock, preparing } = setUp(0, FULL, { config: aConfig({ method, evaluation }) });
    await expect(clock.run(preparing)).rejects.toMatchObject({
      code: "no-such-split",
      message: expect.stringMatching(/^Owner\/Game has no split tset\. It has /),
      configPath: "evaluation.splits",
    });
  });

  it("is named together with a training split when neither exists", async () => {
    const config = configIn(textWith().replace("train:", "tset:"));
    const { clock, preparing } = setUp(0, FULL, { config: { ...config, evaluation } });
    await expect(clock.run(preparing)).rejects.toMatchObject({
      code: "no-such-split",
      configPath: "environments.Owner/Game.splits",
    });
  });
});

it("an evaluation needs only the environments that it plays", async () => {
  const evaluation = "evaluation: { splits: { owner/Other: [test] } }\nnum_epochs: null";
  const config = withOnlyEvaluated(configIn(textWith(`${evaluation}\nmax_steps: 4`)));
  const asked: string[] = [];
  const environment = (name: string) => {
    asked.push(name);
    return { ...scriptedEnvironment(), name, numTasks: async () => 8 };
  };
  const clock = new FakeClock();
  const loadModel = async () => plannedTokenizer;
  const { sequence } = await clock.run(prepare({ config, clock, environment, loadModel }));
  expect(asked).toEqual(["owner/Other"]);
  expect(sequence.sources).toEqual([]);
});

describe("a model that the service does not train", () => {
  it("is refused with a hint to start a new run when the run is a resume", async () => {
    const { clock, preparing } = setUp(0, FULL, {
      config: aConfig({ model_name: "Qwen/Qwen3-32B" }),
      offered: ["Qwen/Qwen4-32B"],
      isContinued: true,
    });
    await expect(clock.run(preparing)).rejects.toThrow(
      "model_name: the service no longer trains Qwen/Qwen3-32B, and a run cannot change its model. Start a new run with a model that it offers: Qwen/Qwen4-32B.",
    );
  });

  it.each([
    ["Qwen/Qwen3-32B", ["Qwen/Qwen3.6-27B"], /retired.*2026-06-12.*`Qwen\/Qwen3\.6-27B`/],
    // The service's own list is newer than the table.
    ["Qwen/Qwen3-32B", ["Qwen/Qwen4-32B"], /Did you mean Qwen\/Qwen4-32B\?/],
    ["Owner/Own-7B", ["Qwen/Qwen3-8B"], /It offers Qwen\/Qwen3-8B\./],
  ])("%s is refused where it offers %s", async (model, offered, words) => {
    const config = aConfig({ model_name: model });
    const { clock, preparing } = setUp(0, FULL, { config, offered });
    await expect(clock.run(preparing)).rejects.toMatchObject({
      code: "model-not-offered",
      message: expect.stringMatching(words),
    });
  });
});

const DAY_MS = 24 * 60 * 60_000;
const NAMES = ["start", "channel", "constrain", "message", "end", "return", "call"];
const tokenizer = byteTokenizer(NAMES.map((name) => `<|${name}|>`));
const LAST = { step: 0, state_path: "tinker://a/weights/b", sampler_path: null, expires_at: null };

/** Prepares a run this many days after 2026-01-01. */
async function prepareOn(day: number, promptDate?: string): Promise<Chat> {
  const clock = new FakeClock();
  await clock.advance(day * DAY_MS);
  const { chat } = await clock.run(
    prepare({
      config: aConfig({ model_name: "openai/gpt-oss-20b" }),
      clock,
      promptDate,
      loadModel: async () => ({ tokenizer, template: null }),
    }),
  );
  return chat;
}

const promptOf = ({ renderer }: Chat): string =>
  tokenizer.decode(renderer.renderInitial([{ role: "user", content: "Hi" }], []));

describe("the date in the prompts of a run", () => {
  it("stays that of its first day when it is resumed later", async () => {
    const chat = await prepareOn(0);
    expect(promptOf(chat)).toContain("Current date: 2026-01-01\n");

    const context = aContext({ chat });
    const identity = { runId: "a", configHash: "h", generation: 1 };
    const snapshot = snapshotAt(context, START, identity, {});
    await writeState(context.fileSystem, FOLDER, snapshot.state(LAST));
    const saved = await readState(context.fileSystem, FOLDER);

    expect(promptOf(await prepareOn(2, saved?.prompt_date))).toBe(promptOf(chat));
    expect(promptOf(await prepareOn(2))).toContain("Current date: 2026-01-03\n");
  });
});

const folder = fileURLToPath(new URL("../../../src/local/engine/model", import.meta.url));
const plannedTokenizer = await loadModelTokenizer(folder);

/** The plan of a run over environments with this many tasks per split. */
async function plan(
  tasks: readonly number[],
  batchSize: number,
  line = "",
  delaysMs: readonly number[] = [],
) {
  const environments = tasks.map(
    (_, i) => `  owner/E${i}: { num_rollouts: 2, splits: { train: {} } }\n`,
  );
  const config = configIn(
    `model_name: local/tiny-tool\nbatch_size: ${batchSize}\n${line}\nenvironments:\n${environments.join("")}`,
  );
  const clock = new FakeClock();
  const { sequence } = await clock.run(
    prepare({
      config,
      clock,
      numTasks: async (_split, name) => {
        const position = Number(name.slice(-1));
        await clock.sleep(delaysMs[position] ?? 0);
        return tasks[position] ?? 0;
      },
      loadModel: async () => plannedTokenizer,
    }),
  );
  const batch = (cursor: number) => batchAt(sequence, cursor, config);
  return { sequence, batch };
}

it("the order of tasks does not depend on which environment answers first", async () => {
  const [first, second] = [await plan([8, 8], 16, "", [0, 500]), await plan([8, 8], 16, "", [500])];
  expect(second.batch(0)).toEqual(first.batch(0));
});

describe("shuffle", () => {
  it("turned off for the run, overrides that of a split, which gets a warning", () => {
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

  it("turned off, makes a different plan, so a resume cannot confuse the two", async () => {
    const on = await plan([8], 8);
    const off = await plan([8], 8, "shuffle: false");
    expect(off.sequence.fingerprint).not.toBe(on.sequence.fingerprint);
  });
});
