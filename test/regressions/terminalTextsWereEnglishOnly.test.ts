import { Readable } from "node:stream";
import { afterEach, expect, it } from "vitest";
import { runProgram } from "../../src/cli/program.ts";
import { runPaths } from "../../src/core/runFolder/files/layout.ts";
import { appendMetrics, buildMetricsRow } from "../../src/core/runFolder/metrics/metrics.ts";
import { createRolloutStore } from "../../src/core/runFolder/rollouts/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import type { ProgressEvent } from "../../src/core/training/run/progress.ts";
import { setTranslations } from "../../src/shared/l10n.ts";
import { aTrainer, createFakeProgram, started, stepFinished } from "../cli/fakeProgram.ts";
import { aRecord, rolloutFacts, stepFacts } from "../core/runFolder/builders.ts";
import { writeEvaluation } from "../core/runFolder/evaluatedRun.ts";
import { createMemoryFileSystem } from "../core/runFolder/memoryFileSystem.ts";
import { anOrder } from "../fakes/anOrder.ts";
import { pseudoLanguage, untranslated } from "../fakes/pseudoLanguage.ts";

const FOLDER = "runs/demo";
const EVENTS: readonly ProgressEvent[] = [
  { kind: "preparing", what: "-" },
  started({ step: 12 }),
  { kind: "warning", message: "-" },
  stepFinished(),
  { kind: "paused", step: 3 },
  { kind: "continued", step: 3 },
  { kind: "settings-changed", step: 3, keys: ["-"] },
  { kind: "evaluating", rollouts: 8 } as ProgressEvent,
  { kind: "uploading", waiting: 3, isOver: true },
  { kind: "reporting", waiting: 1, isOver: false },
  { kind: "alarm-over", title: "-" } as ProgressEvent,
  {
    ...{ kind: "ended", outcome: "done", step: 40, folder: "/home/me/runs/demo", trend: null },
    ...{ reason: null, used: { tokens: 0, costUsd: null } },
  },
];

afterEach(() => setTranslations({}));

it("a trainer that an editor starts speaks the language of the editor", async () => {
  const trainer = aTrainer({
    startTraining: ({ watch }) => {
      for (const event of EVENTS) watch(event);
      const ended = Promise.resolve({ outcome: "done", folder: null } as const);
      return { ended, stopAndSave: () => undefined, stopNow: () => undefined };
    },
  });
  const order = anOrder({ translations: pseudoLanguage() });
  const program = createFakeProgram({ trainer, input: Readable.from([JSON.stringify(order)]) });
  expect(await runProgram(program, ["--launch", "/launches/1"])).toBe(0);
  const text = program.out.lines.join("\n");
  // The units are the same in every language.
  const data = ["demo", "runs/", "local/tiny-tool", "local/calculator", "max_steps", "min"];
  expect(untranslated(text, data)).toEqual([]);
  expect(program.out.lines.length).toBeGreaterThan(15);
});

async function storedRun() {
  const fileSystem = createMemoryFileSystem();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  await store.addRollout(aRecord());
  await store.addRollout(aRecord({ rollout: 1, reward: null, error: "-" }));
  await store.addScores(0, [
    { group: 0, rollout: 0, advantage: 0.75, trainingUse: "trained" },
    { group: 0, rollout: 1, advantage: null, trainingUse: "excluded:failed" },
  ]);
  await store.addTokens(0, [
    {
      ...{ group: 0, rollout: 0, stream: 0, ids: [52, 10], turns: [-1, 0], mask: [0, 1] },
      ...{ samplerLogprobs: [0, -1], trainerLogprobs: [0, -1], advantages: [0, 0.75] },
    },
  ]);
  await appendMetrics(
    fileSystem,
    FOLDER,
    buildMetricsRow(stepFacts({ step: 0, rollouts: [rolloutFacts()] })),
  );
  await writeEvaluation(fileSystem.within(FOLDER), FOLDER, 1, 0.5);
  const config = JSON.stringify({ model_name: "local/tiny-tool", tokenizer_name: null });
  await fileSystem.writeAtomic(runPaths(FOLDER).resolvedConfig, config);
  return fileSystem;
}

it.each([
  [[]],
  [["--step", "1"]],
  [["--step", "1", "--group", "1", "--tokens", "--rollout", "1"]],
  [["--step", "1", "--group", "1", "--rollout", "2"]],
  [["--eval"]],
  [["--eval", "--step", "1"]],
  [["--eval", "--step", "1", "--rollout", "1"]],
])("show %j speaks the language that is set", async (flags) => {
  setTranslations(pseudoLanguage());
  const program = createFakeProgram({ fileSystem: await storedRun() });
  expect(await runProgram(program, ["show", FOLDER, ...flags])).toBe(0);
  const { lines } = program.out;
  const data = [
    ...["tinker-rl show runs/demo", "--step", "--group", "--rollout", "--tokens", "--eval"],
    ...["local/tiny-tool", "local/calculator", "calculator", "train", "tra…", "test", "min", "sum"],
    ...["You have tools.", "What is 2 + 3?", 'answer({"value":5})', "Richtig ✓", "tool_call"],
    // Why a turn or a rollout ended is a word of the configuration and of the service.
    ...["reached_terminal_state", "ended by stop", "stop⟧", "Task", "after 1", "at 0", "at 1"],
  ];
  expect(lines.flatMap((line) => untranslated(line, data))).toEqual([]);
  expect(lines.join("\n")).toContain("⟧");
});
