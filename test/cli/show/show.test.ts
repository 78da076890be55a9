import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { runProgram } from "../../../src/cli/program.ts";
import { showOverview } from "../../../src/cli/show/showOverview.ts";
import { alarmBegins } from "../../../src/core/alarms/alarmEvents.ts";
import { appendCheckpoint } from "../../../src/core/runFolder/checkpointLog.ts";
import { writeEvidence } from "../../../src/core/runFolder/curriculumTexts.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { runPaths, stepPaths } from "../../../src/core/runFolder/files/layout.ts";
import { markRollout, markRun } from "../../../src/core/runFolder/marks.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import { createRunReader } from "../../../src/core/runFolder/reader.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { settingsChanged } from "../../../src/core/runFolder/settingEvents.ts";
import { writeState } from "../../../src/core/runFolder/state.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { NO_TOKENS } from "../../../src/core/usage/tokenUsage.ts";
import { createFileSystem } from "../../../src/node/fileSystem.ts";
import { EXAMPLE_STOP } from "../../../src/shared/outcome.ts";
import {
  aCheckpointEntry,
  aRecord,
  aRecordedResult,
  aRecordedTurn,
  aRunFile,
  aStoredResult,
  collect,
  rolloutFacts,
  stepFacts,
} from "../../core/runFolder/builders.ts";
import { createMemoryFileSystem } from "../../core/runFolder/memoryFileSystem.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { folderOfThisTest } from "../../fakes/onDisk.ts";
import { aRunState } from "../../trainer/runState.ts";
import { aTrainer, createFakeProgram } from "../fakeProgram.ts";

const FOLDER = "runs/demo";
const FIRST = ["--step", "1", "--group", "1", "--rollout", "1"];
const STATE_PATH = "tinker://a/weights/checkpoint_000001";
const CHECKPOINT = aCheckpointEntry({
  name: "checkpoint_000001",
  step: 1,
  state_path: STATE_PATH,
});

/** A run of one step: two scored rollouts with tokens, and a second step in progress. */
async function aRun(
  records: readonly RolloutRecord[] = [aRecord(), aRecord({ rollout: 1, reward: 0 })],
) {
  const fileSystem = createMemoryFileSystem();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  for (const record of records) await store.addRollout(record);
  await store.addScores(0, [
    { group: 0, rollout: 0, advantage: 0.75, trainingUse: "trained" },
    { group: 0, rollout: 1, advantage: null, trainingUse: "excluded:zero_variance" },
  ]);
  await store.addTokens(0, [
    {
      group: 0,
      rollout: 0,
      stream: 0,
      ids: [72, 105, 32, 52, 10],
      samplerLogprobs: [0, 0, 0, -0.25, -0.5],
      trainerLogprobs: [Number.NaN, -1, -1, -0.3, -0.5],
      advantages: [0, 0, 0, 0.75, 0.75],
      turns: [-1, -1, -1, 0, 0],
      mask: [0, 0, 0, 1, 1],
    },
  ]);
  await store.addRollout(aRecord({ step: 1 }));
  const rollouts = [rolloutFacts(), rolloutFacts({ reward: 0 })];
  const usage = { ...stepFacts().usage, step: { ...NO_TOKENS, sampled: 23 } };
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0, rollouts, usage })));
  await appendCheckpoint(fileSystem, FOLDER, CHECKPOINT);
  await appendCheckpoint(fileSystem, FOLDER, { ...CHECKPOINT, kind: "final" });
  const config = JSON.stringify({ model_name: "local/tiny-tool", tokenizer_name: null });
  await fileSystem.writeAtomic(runPaths(FOLDER).resolvedConfig, config);
  return fileSystem;
}

function eventsOf(fileSystem: ReturnType<typeof createMemoryFileSystem>) {
  const redactor = new Redactor();
  return createEventLog({
    fileSystem,
    folder: FOLDER,
    clock: new FakeClock(),
    redactor,
    attempt: 1,
  });
}

async function show(
  fileSystem: ReturnType<typeof createMemoryFileSystem>,
  ...flags: readonly string[]
): Promise<{ readonly text: string; readonly lines: readonly string[]; readonly errors: string }> {
  const program = createFakeProgram({ fileSystem });
  const exitCode = await runProgram(program, ["show", FOLDER, ...flags]);
  expect(exitCode).toBe(program.err.lines.length === 0 ? 0 : 2);
  const { lines } = program.out;
  return { text: lines.join("\n"), lines, errors: program.err.lines.join("\n") };
}

test("the overview shows steps, checkpoints and further commands", async () => {
  const { lines, text } = await show(await aRun());
  expect(lines).toContain("model         local/tiny-tool");
  const title = lines.findIndex((line) => line.startsWith("step  reward"));
  expect(lines[title + 1]).toMatch(/^ {3}1 {4}0\.50 {2}0\.71 +1\/1 {2}-1\.50 +20 {2}13 s$/);
  expect(text).toContain("  checkpoint_000001  periodic, final, after 1 step\n");
  expect(text).toContain("    state    tinker://a/weights/checkpoint_000001");
  expect(text).toContain("  tinker-rl show runs/demo --step 1 --group 1 --rollout 1");
});

test("steps of a supervised run show their training data, labeled as examples", async () => {
  const fileSystem = await aRun();
  const row = { num_examples: 16, loss: 0.5, train: { action_tokens: 1_200 } };
  await appendMetrics(fileSystem, FOLDER, { step: 1, ...row, time: { total_s: 2 } });
  await appendMetrics(fileSystem, FOLDER, { step: 2, ...row, held_out: { loss: 0.25 } });
  const { lines } = await show(fileSystem);
  const title = lines.findIndex((line) => line.startsWith("step "));
  expect(lines.slice(title, title + 4).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ["step", "loss", "held-out loss", "examples", "tokens learned", "time"],
    expect.anything(),
    ["2", "0.500", "16", "1,200", "2.0 s"],
    ["3", "0.500", "0.250", "16", "1,200"],
  ]);
  expect((await show(fileSystem, "--step", "1")).lines[0]).toBe("step 1: 2 examples");
});

test("an example is shown without stop, duration and reward", async () => {
  const example = aRecord({ stop: EXAMPLE_STOP, reward: null, rewards: [] });
  const { lines, text } = await show(await aRun([example]), ...FIRST);
  expect(lines[1]).toMatch(/^example {3}1 turn, \d+ tokens?$/);
  expect(text).not.toMatch(/received|reduced|clamped/);
});

test("a step without groups, as in a supervised run, causes no warning", async () => {
  const fileSystem = createMemoryFileSystem();
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 0, groups: [] })));
  const reader = createRunReader(fileSystem, FOLDER);
  const { clock, invocation, isProcessAlive, loadTokenizer } = createFakeProgram();
  const program = { clock, invocation, isProcessAlive, loadTokenizer };
  const context = { ...program, fileSystem, reader, folder: FOLDER, width: 120 };
  const pieces = (await collect(showOverview(context))).flat();
  expect(pieces.filter((piece) => typeof piece !== "string" && piece.style === "warning")).toEqual(
    [],
  );
});

test("a run whose trainer no longer exists is interrupted", async () => {
  const fileSystem = createMemoryFileSystem();
  const file = aRunFile({ phase: "running", heartbeatAtMs: new FakeClock().now() - 4_000 });
  await fileSystem.writeAtomic(runPaths(FOLDER).runFile, JSON.stringify(file));
  expect((await show(fileSystem)).lines).toContain(
    "state         interrupted, last heartbeat 4.0 s ago",
  );
});

test("a run is named after its folder even if that is the working directory", async () => {
  const fileSystem = createMemoryFileSystem();
  const file = new TextEncoder().encode(JSON.stringify(aRunFile()));
  await fileSystem.writeAtomic(runPaths(".").runFile, file);
  const invocation = { program: "tinker-rl", cwd: "/home/me/demo" };
  const program = createFakeProgram({ fileSystem, invocation });
  expect(await runProgram(program, ["show", ".", "--json"])).toBe(0);
  expect(JSON.parse(program.out.lines.join("\n"))).toMatchObject({
    folder: resolve("/home/me/demo"),
    run: { name: "demo", folder: resolve("/home/me/demo") },
  });
});

test("a rollout played by an agent shows how its program ended, and its refused requests", async () => {
  const refusals = [{ message: "n: 2 is not supported.", count: 3 }];
  const record = aRecord({ agent: { exit: "1", output: "Traceback\nKeyError\n", refusals } });
  const { lines } = await show(await aRun([record]), ...FIRST);
  const start = lines.indexOf("agent");
  const rows = lines.slice(start + 1, start + 5).map((line) => line.trim().split(/ {2,}/));
  expect(rows).toEqual([
    ["end", "ended with 1"],
    ["refused", "3×: n: 2 is not supported."],
    ["printed", "Traceback"],
    ["KeyError"],
  ]);
  expect((await show(await aRun(), ...FIRST)).lines).not.toContain("agent");
});

test("the JSON of a rollout has the reason why its agent failed, and the arguments of its own calls", async () => {
  const results = [aRecordedResult({ agentArgs: '{"value":6}' })];
  const failure = "The agent of local/calculator ended with code 1.";
  const agent = { exit: "1", output: "", refusals: [], failure };
  const { text } = await show(
    await aRun([aRecord({ agent, turns: [aRecordedTurn({ results })] })]),
    ...FIRST,
    "--json",
  );
  expect(JSON.parse(text)).toMatchObject({
    trajectories: [{ agent: { failure }, turns: [{ results: [{ agentArgs: '{"value":6}' }] }] }],
  });
});

test("the last lines of an agent's output are shown, and the number of omitted ones", async () => {
  const output = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");
  const record = aRecord({ agent: { exit: "1", output, refusals: [] } });
  const { text } = await show(await aRun([record]), ...FIRST);
  expect(text).toMatch(/printed +… 10 lines left out; --json has them\n +line 11\n/);
  expect(text).toContain("line 30");
});

test("the overview counts every rollout without a reward as failed, whatever ended it", async () => {
  const fileSystem = await aRun();
  const rollouts = [
    rolloutFacts(),
    rolloutFacts({ reward: null, stop: "max_turns" }),
    rolloutFacts({ reward: null, errorClass: "transient" }),
  ];
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 1, rollouts })));
  const { lines } = await show(fileSystem);
  const title = lines.findIndex((line) => line.startsWith("step  reward"));
  const failed = lines[title]?.indexOf("failed") ?? 0;
  expect(lines[title + 2]?.slice(failed, failed + "failed".length).trim()).toBe("2");
});

test("the overview counts all groups of a step even if nothing was sent to the trainer", async () => {
  const fileSystem = createMemoryFileSystem();
  const rollouts = [0, 1].map((group) => rolloutFacts({ group, reward: 0, isSent: false }));
  const groups = [0, 1].map((group) => ({ group, excluded: null, isPartial: false }));
  const facts = stepFacts({ step: 0, rollouts, groups, substeps: 0 });
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(facts));
  expect((await show(fileSystem)).text).toMatch(/^ {3}1 {4}0\.00 .* 0\/2 /m);
});

test("the overview shows what changed, a person's notes, and the number of starred rollouts", async () => {
  const fileSystem = await aRun();
  const events = eventsOf(fileSystem);
  const rate = { path: ["learning_rate"], before: 0.004, after: 0.2 };
  await events.record(settingsChanged(14, ["learning_rate"], [rate]));
  await markRun(fileSystem, FOLDER, { note: "the rate was too high" });
  const key = { source: "training", step: 0, group: 0, rollout: 0 } as const;
  await markRollout(fileSystem, FOLDER, key, { star: true });
  const { lines } = await show(fileSystem);
  expect(lines).toContain("changed       step 15: learning_rate 0.004 → 0.2");
  expect(lines).toContain("note          the rate was too high");
  expect(lines).toContain("starred       1 rollout");
});

test("the overview shows the reward of each environment if there are several", async () => {
  const fileSystem = createMemoryFileSystem();
  const env = { maze: { reward: { mean: 0.25 } }, code: { reward: { mean: 0.75 } } };
  await appendMetrics(fileSystem, FOLDER, { step: 0, rollout: { reward: { mean: 0.5 }, env } });
  const { lines } = await show(fileSystem);
  expect(lines.find((line) => line.startsWith("step"))).toMatch(/^step {2}reward {2}code {2}maze /);
  expect(lines.find((line) => line.startsWith("   1"))).toMatch(
    /^ {3}1 {4}0\.50 {2}0\.75 {2}0\.25 /,
  );
});

test("an alarm about a fall has the command that continues from the checkpoint before it", async () => {
  const fileSystem = await aRun();
  const extra = { alarm: { reward_decline: 1 } };
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 1, extra })));
  const paths = runPaths(FOLDER);
  await fileSystem.writeAtomic(paths.runFile, JSON.stringify(aRunFile()));
  const overrides = ["stage=reinforce", "learning_rate=0.2", "init_from=runs/imitate"];
  await fileSystem.writeAtomic(paths.overrides, JSON.stringify(overrides));
  await fileSystem.writeAtomic(paths.resolvedConfig, '{"init_from": "runs/imitate"}');
  await eventsOf(fileSystem).record(
    alarmBegins(1, {
      id: "reward_decline",
      severity: "warning",
      seen: "It fell.",
      meaning: "Go back.",
      edits: [{ path: ["learning_rate"], value: 0.004 }],
      goBackTo: STATE_PATH,
    }),
  );
  expect((await show(fileSystem)).text).toContain(
    `go back: tinker-rl train /c.yaml --stage=reinforce --init_from=null --resume_from=${STATE_PATH} --learning_rate=0.004`,
  );
});

test("the overview shows the current alarms as they were reported when raised", async () => {
  const fileSystem = await aRun();
  const rollouts = [rolloutFacts(), rolloutFacts({ reward: 0 })];
  const extra = { alarm: { truncated_turns: 1, tool_errors: 0 } };
  await appendMetrics(fileSystem, FOLDER, buildMetricsRow(stepFacts({ step: 1, rollouts, extra })));
  const events = eventsOf(fileSystem);
  const notice = { severity: "warning", meaning: "They lose their calls.", edits: [] } as const;
  const cut = { ...notice, id: "truncated_turns", seen: "41% of the turns were cut." } as const;
  const refused = { ...notice, id: "tool_errors", seen: "60% were refused." } as const;
  await events.record(alarmBegins(0, refused));
  await events.record(alarmBegins(0, cut));
  const { lines, text } = await show(fileSystem);
  const at = lines.indexOf("Many turns are cut off, since step 1");
  expect(lines.slice(at + 1, at + 3)).toEqual([
    "alarm: 41% of the turns were cut.",
    "       They lose their calls.",
  ]);
  expect(text).not.toContain("60%");
});

test("a step lists its rollouts and says why some are not trained on", async () => {
  const { lines } = await show(await aRun(), "--step", "1");
  expect(lines.slice(0, 7)).toEqual([
    "step 1: 2 rollouts in 1 group, mean reward 0.50",
    "environment local/calculator",
    "",
    "group  rollout  task     reward  advantage  training  stop      turns  tokens",
    "    1        1  train 3    1.00     +0.750  trained   finished      1      12",
    "    1        2  train 3    0.00             equal     finished      1      12",
    "",
  ]);
  expect(lines[7]).toBe(
    "equal: not trained on, all rewards of the group are equal, so it teaches nothing",
  );
});

test("a table has a column of advantages only if a rollout has one", async () => {
  const record = aRecord({ rollout: 1 });
  expect((await show(await aRun(), "--step", "1")).text).toContain("advantage  training");
  const { text } = await show(await aRun([record]), "--step", "1");
  expect(text).toMatch(/reward {2}training {2}stop .*\n.* {2}equal +finished/);
});

test("a replay shows turns, calls, results and how the reward was computed", async () => {
  const { lines } = await show(await aRun(), ...FIRST);
  expect(lines).toEqual([
    "step 1, group 1, rollout 1   local/calculator train 3",
    "reward 1.00   reached_terminal_state, 1 turn, 12 sampled tokens, 0.3 s",
    "",
    "  system     You have tools.",
    "  prompt     What is 2 + 3?",
    "",
    "turn 1   12 tokens, ended by stop",
    '  call       answer({"value":5})',
    "  result     Richtig ✓",
    "             reward 1.00, finished",
    "",
    "reward",
    "  received   1 in turn 1",
    "  reduced    1 (sum)",
    "  clamped    1 (unchanged by min_reward and max_reward)",
    "  advantage  +0.7500",
    "  training   trained on",
  ]);
});

test("a reward for an unfinished rollout and a clamp are explained", async () => {
  const record = aRecord({
    turns: [],
    rewards: [],
    reward: 0,
    stop: "max_turns",
    rewardBreakdown: {
      group: null,
      nonterminal: -0.5,
      sum: -0.5,
      reduction: "sum",
      reduced: -0.5,
      clamped: 0,
    },
  });
  const { lines } = await show(await aRun([record]), "--step", "1", "--group", "1");
  expect(lines).toEqual(
    expect.arrayContaining([
      "  received   none",
      "  unfinished -0.5 (nonterminal_reward, because the rollout did not finish)",
      "  reduced    -0.5 (sum)",
      "  clamped    0 (by min_reward and max_reward)",
    ]),
  );
});

test("a hostile tool cannot control the terminal", async () => {
  const hostile = aRecordedResult({ text: "\u001b[2J\u001b]52;c;aGk=\u0007gone\rnot" });
  const record = aRecord({ turns: [aRecordedTurn({ results: [hostile] })], taskKey: "\u001b[31m" });
  const { text } = await show(await aRun([record]), "--step", "1", "--group", "1");
  expect(text).toContain("␛[2J␛]52;c;aGk=␇gone␍not");
  expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
});

test("tokens are shown with their values and their training targets", async () => {
  const { lines } = await show(await aRun(), ...FIRST, "--tokens");
  expect(lines.slice(-6)).toEqual([
    "index   id  token  source  mask  sampler  trainer  advantage  predicts",
    "    0   72  H      prompt     0                               ",
    "    1  105  i      prompt     0           -1.0000             ",
    "    2   32  ·      prompt     0           -1.0000             4",
    "    3   52  4      turn 1     1  -0.2500  -0.3000     +0.750  ⏎",
    "    4   10  ⏎      turn 1     1  -0.5000  -0.5000     +0.750  ",
  ]);
});

test("a rollout without token data says why", async () => {
  const flags = ["--step", "1", "--group", "1", "--rollout", "2", "--tokens"];
  expect((await show(await aRun(), ...flags)).lines.at(-1)).toBe(
    "Only rollouts that were trained on have token data. This one: not trained on: all rewards of the group are equal, so it teaches nothing.",
  );
});

test("a rollout with an advantage of 0 has no token data, although its group was compared", async () => {
  const fileSystem = await aRun();
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  const score = { group: 0, rollout: 0, advantage: 0, trainingUse: "trained" } as const;
  await store.addScores(1, [score]);
  const flags = ["--step", "2", "--group", "1", "--rollout", "1", "--tokens"];
  expect((await show(fileSystem, ...flags)).lines.at(-1)).toMatch(/^Its advantage is 0: /);
});

test("without a tokenizer, ids are shown with the reason", async () => {
  const fileSystem = await aRun();
  await fileSystem.remove(runPaths(FOLDER).resolvedConfig);
  const { text, lines } = await show(fileSystem, ...FIRST, "--tokens");
  expect(text).toContain("Ids only: config.resolved.json does not name the model.");
  expect(lines.at(-2)).toMatch(/ 52 .* 10$/);
});

test.each([
  [["--step", "9"], "There is no step 9. Steps that have rollouts: 1 to 2."],
  [["--step", "0"], "There is no step 0. Steps that have rollouts: 1 to 2."],
  [["--step", "1", "--group", "3"], "There is no group 3 in step 1. Its groups: 1."],
  [
    ["--step", "1", "--group", "1", "--rollout", "5"],
    "There is no rollout 5 in group 1 of step 1. Its rollouts: 1 to 2.",
  ],
  [
    ["--eval", "--step", "3"],
    "There is no evaluation after 3 steps. Completed steps with one: none yet.",
  ],
  [
    ["--step", "1", "--rollout", "1"],
    "--rollout needs --group. `tinker-rl show --help` explains the command line.",
  ],
])("%j names nothing, and the error says what would", async (flags, message) => {
  expect((await show(await aRun(), ...flags)).errors).toBe(`error: ${message}`);
});

test("evaluations are compared with the first, and their rollouts can be replayed", async () => {
  const fileSystem = await aRun();
  const line = (step: number, rewardMean: number) =>
    `${JSON.stringify({ step, purpose: "end", timeMs: 0, results: [aStoredResult({ rewardMean })] })}\n`;
  await fileSystem.append(runPaths(FOLDER).evaluations, line(0, 0.25) + line(1, 0.75));
  const use = { temperature: 0, purpose: "end" };
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  await store.addEvaluated(aRecord({ step: 1, split: "test" }), use, [
    {
      group: 0,
      rollout: 0,
      stream: 0,
      ids: [40, 41, 42],
      turns: [-1, 0, 0],
      mask: [0, 1, 1],
      samplerLogprobs: [0, -0.5, -0.25],
      advantages: [0, 0, 0],
      trainerLogprobs: [Number.NaN, Number.NaN, Number.NaN],
    },
  ]);
  expect((await show(fileSystem, "--eval")).lines).toContain(
    "    greedy  0.25 → 0.75  95% CI [0.00, 1.00]",
  );
  const table = await show(fileSystem, "--eval", "--step", "1");
  expect(table.lines[4]).toBe("      1       greedy  test 3    1.00  finished      1      12");
  const replay = await show(fileSystem, "--eval", "--step", "1", "--rollout", "1");
  expect(replay.lines[0]).toBe(
    "evaluation after 1 step, rollout 1, greedy   local/calculator test 3",
  );
  const tokens = await show(fileSystem, "--eval", "--step", "1", "--rollout", "1", "--tokens");
  expect(tokens.lines.slice(-3)).toEqual([
    "    0  40  (      prompt     0         ",
    "    1  41  )      turn 1     1  -0.5000",
    "    2  42  *      turn 1     1  -0.2500",
  ]);
});

test("a standalone evaluation is shown as one without --eval, as text and as JSON", async () => {
  const fileSystem = createMemoryFileSystem();
  const evaluation = { digest: "", models: [] };
  await fileSystem.writeAtomic(runPaths(FOLDER).runFile, JSON.stringify(aRunFile({ evaluation })));
  const entry = { step: 0, purpose: "end", timeMs: 0, results: [aStoredResult()] };
  await fileSystem.append(runPaths(FOLDER).evaluations, `${JSON.stringify(entry)}\n`);
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder: FOLDER });
  for (const rollout of [0, 1]) {
    const use = { temperature: 0, purpose: "end" };
    await store.addEvaluated(aRecord({ step: 0, split: "test", rollout }), use, []);
  }
  const chosen = ["--step", "0", "--rollout", "2"];
  expect((await show(fileSystem, ...chosen)).text).toContain("rollout 2, greedy");
  const { trajectories } = JSON.parse((await show(fileSystem, ...chosen, "--json")).text);
  expect(trajectories).toEqual([expect.objectContaining({ rollout: 2 })]);
  expect(JSON.parse((await show(fileSystem, "--json")).text)).toMatchObject({
    format: "tinker-rl.evaluations/1",
  });
  for (const more of [[], ["--json"]]) {
    const { errors } = await show(fileSystem, ...chosen, "--group", "1", ...more);
    expect(errors).toContain("--group cannot be used with --eval");
  }
});

test("a run truncated at any position still shows its complete parts", async () => {
  const fileSystem = await aRun();
  const { bodies, index } = stepPaths(FOLDER, 0);
  const bodyBytes = await fileSystem.readBytes(bodies);
  await fileSystem.truncate(bodies, bodyBytes.length - 10);
  const replay = await show(fileSystem, "--step", "1", "--group", "1", "--rollout", "2");
  expect(replay.lines.at(-1)).toBe("Its record is not complete on disk.");
  const indexBytes = await fileSystem.readBytes(index);
  for (let size = 0; size < indexBytes.length; size += 97) {
    await fileSystem.writeAtomic(index, indexBytes.slice(0, size));
    const program = createFakeProgram({ fileSystem });
    expect([0, 2]).toContain(await runProgram(program, ["show", FOLDER, "--step", "1"]));
  }
});

test("a folder of runs lists its runs, and other files are ignored", async () => {
  const parent = folderOfThisTest();
  await writeFile(join(parent, ".gitignore"), "*");
  await mkdir(join(parent, "demo"));
  await writeFile(join(parent, "demo", "metrics.jsonl"), "");
  const program = createFakeProgram({ fileSystem: createFileSystem() });
  expect(await runProgram(program, ["show", `${parent}/`])).toBe(2);
  expect(program.err.lines[0]).toMatch(
    /is not a run folder: .* Specify one of the runs in it: demo\.$/,
  );
});

test("the bill of a run is requested by its folder, with where its prices are from", async () => {
  const fileSystem = await aRun();
  const tokens = { ...NO_TOKENS, sampled: 1_200, trained: 300 };
  const asked: unknown[] = [];
  let invoicedUntil: string | null = "2026-11-22T14:00:00Z";
  const trainer = aTrainer({
    billedRun: async (_, request) => {
      asked.push(request);
      return { tokens, costUsd: 1.5, invoicedUntil };
    },
  });
  const program = createFakeProgram({ fileSystem, trainer });
  expect(await runProgram(program, ["show", FOLDER, "--billed"])).toBe(0);
  expect(asked).toMatchObject([{ runFolder: FOLDER, allowedOrigins: [], folder: "/home/me" }]);
  const text = program.out.lines.join("\n");
  expect(text).toMatch(/billed +\$1\.50, 1,500 tokens/);
  expect(text).toContain("from invoices until 2026-11-22T14:00:00Z, then at the published prices");
  invoicedUntil = null;
  await runProgram(program, ["show", FOLDER, "--billed"]);
  expect(program.out.lines.at(-1)).toContain("without storage, at the published prices");
  expect(await runProgram(program, ["show", FOLDER, "--billed", "--step", "1"])).toBe(2);
});

test("a run with thousands of steps shows the newest, and the number of omitted ones", async () => {
  const rows = Array.from({ length: 7_000 }, (_, step) => `${JSON.stringify({ step })}\n`);
  const fileSystem = createMemoryFileSystem();
  await fileSystem.append(runPaths(FOLDER).metrics, rows.join(""));
  const program = createFakeProgram({ fileSystem });
  expect(await runProgram(program, ["show", FOLDER])).toBe(0);
  const shown = program.out.lines.join("\n");
  expect(shown).toContain("2,000 earlier rows not shown; all are in ");
  expect(shown).toMatch(/^ *2001 /m);
  expect(shown).toMatch(/^ *7000 /m);
  expect(shown).not.toMatch(/^ *2000 /m);
});

test("show names the rollouts in the queue, and their age when trained", async () => {
  const fileSystem = createMemoryFileSystem();
  const async = { queue_depth: 12, queue_ready: 5, staleness: { mean: 2, min: 2, max: 2 } };
  const row = buildMetricsRow(stepFacts({ step: 6, extra: { async } }));
  await appendMetrics(fileSystem, FOLDER, row);
  const config = JSON.stringify({ model_name: "local/tiny-tool", tokenizer_name: null });
  await fileSystem.writeAtomic(runPaths(FOLDER).resolvedConfig, config);
  const program = createFakeProgram({ fileSystem });
  await runProgram(program, ["show", FOLDER]);
  expect(program.out.lines).toContain(
    "sampled ahead 12 groups in the queue before step 7, 5 of them ended; staleness 2",
  );
});

test("the tasks of a curriculum are shown by when they were last trained", async () => {
  const task = { environment: "Owner/Game", split: "train", index: 2 };
  const fileSystem = await aRun([
    aRecord({ ...task, step: 0, group: 0, rollout: 0 }),
    aRecord({ ...task, step: 0, group: 0, rollout: 1 }),
    aRecord({ ...task, step: 3, group: 1, rollout: 0 }),
    aRecord({ ...task, step: 3, group: 2, rollout: 0, index: 3 }),
    // From a step that the save does not include.
    aRecord({ ...task, step: 5, group: 0, rollout: 0 }),
  ]);
  const of = (successes: number, failures: number, step: number) => {
    return { successes, failures, tokens: 512, step };
  };
  const tasks = writeEvidence([
    ["Owner/Game:train:7", of(9, 0.5, 4)],
    ["Owner/Game:train:2", of(4, 4, 0)],
    ["Owner/Game:train:3", of(0, 10, 2)],
  ]);
  await writeState(fileSystem, FOLDER, aRunState(5, { curriculum: { tasks, drawn: [] } }));
  const { lines, text } = await show(fileSystem, "--tasks");
  expect(lines.slice(1, 4).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ["Owner/Game:train:2", "0.50", "open", "2", "8.0", "512", "1"],
    ["Owner/Game:train:3", "0.08", "out of reach", "1", "10.0", "512", "3"],
    ["Owner/Game:train:7", "0.87", "solved", "0", "9.5", "512", "5"],
  ]);
  expect(text).toContain("success: expected of the next rollout");
  expect((await show(fileSystem, "--tasks", "--step", "1")).errors).toContain("--tasks is for");
  await writeState(fileSystem, FOLDER, aRunState(6));
  expect((await show(fileSystem, "--tasks")).text).toContain("This run has no `curriculum`");
});

test("a replay shows where an agent starts another conversation, with its prompt, and where one continues", async () => {
  const record = aRecord({
    agent: { exit: "0", output: "", refusals: [] },
    turns: [aRecordedTurn(), aRecordedTurn({ stream: 1, asked: "Is that so?" }), aRecordedTurn()],
  });
  const { text } = await show(await aRun([record]), ...FIRST);
  expect(text).toMatch(
    /turn 1.*stream 2: another conversation of the agent\n +prompt +Is that so\?.*turn 2.*stream 1 continues.*turn 3/s,
  );
});
