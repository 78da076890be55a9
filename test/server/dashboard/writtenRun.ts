/** A run folder by the product's own writers with content that is hard to show: attempts, gaps, failures, hostile and huge texts. */

import { alarmBegins } from "../../../src/core/alarms/alarmEvents.ts";
import type { AlarmNotice } from "../../../src/core/alarms/evaluateAlarms.ts";
import type { FileSystem, FolderFiles } from "../../../src/core/ports.ts";
import { appendCheckpoint } from "../../../src/core/runFolder/checkpointLog.ts";
import { createEventLog } from "../../../src/core/runFolder/events.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { resumeRun, startRun } from "../../../src/core/runFolder/runFolder.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { NO_RUN_USAGE } from "../../../src/core/usage/tokenUsage.ts";
import { systemClock } from "../../../src/node/clock.ts";
import {
  aCheckpointEntry,
  aRecord,
  aRecordedTurn,
  rolloutFacts,
  stepFacts,
} from "../../core/runFolder/builders.ts";
import { writeEvaluation } from "../../core/runFolder/evaluatedRun.ts";

export const HOSTILE_TEXT = [
  "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>",
  "\u001b[31mred\u001b[0m and \u202Eyltfel ot thgir\u202C, \u0007bell, null \u0000, zero\u200bwidth",
  "[click](javascript:alert(1)) [site](https://example.test/a?b=c) **bold**",
].join("\n");

/** Made-up USD per million tokens. */
export const PRICES = { sampled: 0.6, prefill_cached: 0.04, prefill_uncached: 0.2, trained: 0.6 };

/** Raised from step 18 on, which both attempts played. */
const CUT_STEP = 18;
export const CUT_TURNS: AlarmNotice = {
  id: "truncated_turns",
  severity: "warning",
  seen: "41% of the turns were cut off by a token limit (alarm above 30%).",
  meaning: "A turn that is cut off seldom holds a whole tool call, so its work is lost.",
  edits: [{ path: ["max_response_tokens"], value: 96 }],
};

const RESUMED_STEP = 14;
const STEPS = 24;

export interface HardRunSize {
  /** In the last step. */
  readonly rollouts?: number;
  /** For the hard rollout. */
  readonly tokens?: number;
}

export interface WrittenRun {
  readonly folder: string;
  /** The last step with rollouts. */
  readonly step: number;
}

/** Two attempts, the second from step 14 on; rollouts for the last step only, where `group 0, rollout 0` is the hard one. */
export async function writeHardRun(
  fileSystem: FileSystem,
  parent: string,
  { rollouts = 48, tokens = 4_500 }: HardRunSize = {},
): Promise<WrittenRun> {
  const clock = systemClock;
  const starter = {
    pid: process.pid,
    host: "here",
    owner: "terminal" as const,
    configPath: `${parent}/tinker-config.yaml`,
  };
  const lease = await startRun(
    { fileSystem, clock },
    { ...starter, parent, name: "hard", runId: "r1" },
  );
  const { folder, files } = lease;
  await writeConfig(files, folder);
  await writeSteps(files, folder, 1, 0, 19);
  await lease.update({ phase: "stopped" });
  const again = await resumeRun(
    { fileSystem, clock, isProcessAlive: () => false },
    { ...starter, folder, step: RESUMED_STEP },
  );
  const { files: resumed } = again;
  await writeSteps(resumed, folder, 2, RESUMED_STEP, STEPS);
  const events = createEventLog({
    fileSystem: resumed,
    clock,
    redactor: new Redactor(),
    folder,
    attempt: 2,
  });
  await events.record({
    kind: "service-unavailable",
    level: "warn",
    step: 20,
    message: `An environment wrote ${HOSTILE_TEXT}`,
    data: {},
  });
  await events.record(alarmBegins(CUT_STEP, CUT_TURNS));
  const steered = { level: "info" as const, data: {} };
  const paused = "The run waits before step 9.";
  await events.record({ ...steered, kind: "run-paused", step: 8, message: paused });
  const applySettings = "From step 17 on the run uses new settings: learning_rate.";
  await events.record({ ...steered, kind: "settings-changed", step: 16, message: applySettings });
  await writeRollouts(resumed, folder, rollouts, tokens);
  await writeEvaluation(resumed, folder, 0, 0.25);
  await writeEvaluation(resumed, folder, 20, 0.75);
  await again.update({ phase: "running" });
  return { folder, step: STEPS - 1 };
}

async function writeConfig(fileSystem: FolderFiles, folder: string): Promise<void> {
  const paths = runPaths(folder);
  await fileSystem.writeAtomic(
    paths.config,
    "model_name: local/tiny-tool\nenvironments:\n  local/calculator:\n    num_rollouts: 8\nbatch_size: 4\n",
  );
  const environments = {
    "local/calculator": { num_rollouts: 8, temperature: 1 },
    "local/number-hunt": { num_rollouts: 8 },
  };
  const resolved = {
    model_name: "local/tiny-tool",
    environments,
    batch_size: 4,
    max_steps: 40,
    log_path: folder,
  };
  await fileSystem.writeAtomic(paths.resolvedConfig, JSON.stringify(resolved));
  await fileSystem.writeAtomic(paths.overrides, JSON.stringify(["max_steps=40"]));
}

async function writeSteps(
  fileSystem: FolderFiles,
  folder: string,
  attempt: number,
  from: number,
  to: number,
): Promise<void> {
  const parts = { fileSystem, clock: systemClock, redactor: new Redactor(), folder, attempt };
  await createEventLog(parts).record({
    kind: "run-started",
    level: "info",
    step: from,
    message: `Attempt ${attempt} starts.`,
    data: {},
  });
  for (let step = from; step < to; step += 1) {
    const isSkipped = step === 6 || step === 17;
    const rollouts = Array.from({ length: 16 }, (_, index) => {
      const isHunt = index % 2 === 1;
      const reward = Math.max(
        0,
        Math.min(1, step / 30 + ((index * 7 + step * 3) % 10) / 15 - 0.25 + attempt * 0.05),
      );
      return rolloutFacts({
        reward: isHunt ? reward / 2 : reward,
        group: Math.floor(index / 4),
        environment: isHunt ? "local/number-hunt" : "local/calculator",
      });
    });
    const facts = stepFacts({
      step,
      rollouts,
      environments: ["local/calculator", "local/number-hunt"],
      ...(isSkipped ? { loss: null, substeps: 0 } : { loss: 100 - step * 3 }),
      progress: {
        ...stepFacts().progress,
        doneFraction: (step + 1) / 40,
        etaS: (40 - step) * 13,
        attempt,
      },
      extra: { alarm: { truncated_turns: step < CUT_STEP ? 0 : 1 } },
      serverMetrics:
        step === 9 ? { "grad_norm:mean": Number.NaN } : { "grad_norm:mean": 3 + (step % 5) },
      usage: {
        ...stepFacts().usage,
        total: {
          ...NO_RUN_USAGE,
          cumulative: {
            sampled: 1000 * (step + 1),
            prefill_cached: 2000 * (step + 1),
            prefill_uncached: 1000 * (step + 1),
            trained: 2000 * (step + 1),
          },
        },
        prices: PRICES,
      },
    });
    await appendMetrics(fileSystem, folder, buildMetricsRow(facts));
    if ((step + 1) % 10 === 0) await appendCheckpoint(fileSystem, folder, checkpoint(step + 1));
  }
}

function checkpoint(step: number) {
  const expires = step === 20 ? new Date(Date.now() + 5 * 3600_000).toISOString() : null;
  return aCheckpointEntry({
    name: `checkpoint_${String(step).padStart(6, "0")}`,
    step,
    position: step * 4,
    kind: "periodic" as const,
    state_path: `tinker://run/weights/${step}`,
    sampler_path: `tinker://run/sampler/${step}`,
    expires_at: expires,
    metrics: { "rollout/reward/mean": step / 40 },
    created_at: new Date().toISOString(),
  });
}

async function writeRollouts(
  fileSystem: FolderFiles,
  folder: string,
  count: number,
  tokens: number,
): Promise<void> {
  const store = createRolloutStore({ fileSystem, redactor: new Redactor(), folder });
  const step = STEPS - 1;
  for (let index = 0; index < count; index += 1) {
    const place = { step, group: Math.floor(index / 8), rollout: index % 8 };
    const record =
      index === 0 ? hardRecord() : aRecord({ ...place, index, reward: (index % 5) / 4 });
    const failed = {
      reward: null,
      stop: "error",
      error: "The environment answered 503 three times.",
    };
    await store.addRollout(
      index === 3 ? aRecord({ ...place, ...failed }) : { ...record, ...place },
    );
  }
  const scored = Array.from({ length: count }, (_, index) => ({
    group: Math.floor(index / 8),
    rollout: index % 8,
    ...(index === 3
      ? { advantage: null, trainingUse: "excluded:failed" as const }
      : { advantage: ((index % 5) - 2) / 2, trainingUse: "trained" as const }),
  }));
  await store.addScores(step, scored);
  await store.addTokens(step, [longTokens(tokens), lastStream()]);
}

function hardRecord(): RolloutRecord {
  const lines = Array.from({ length: 120 }, (_, line) => `line ${line + 1} of a long result`).join(
    "\n",
  );
  const turns = [
    aRecordedTurn({
      reasoning: "First I think about it.\nThen I call the tool.",
      content: HOSTILE_TEXT,
    }),
    aRecordedTurn({
      content: "",
      calls: [],
      errors: [
        {
          kind: "json",
          raw: '{"name": "answer", }',
          message: "The call is not JSON: unexpected }.",
        },
      ],
      results: [],
      nudge: "Call a tool.",
    }),
    aRecordedTurn({
      content: "",
      stream: 1,
      results: [{ name: "search", text: lines, isError: false, reward: 0.2, finished: false }],
    }),
    aRecordedTurn({
      content: "",
      stream: 2,
      results: [
        { name: "answer", text: "x".repeat(150_000), isError: true, reward: 0.9, finished: true },
      ],
    }),
  ];
  return aRecord({
    turns,
    systemText: "You are a helper.",
    promptText: HOSTILE_TEXT,
    rewards: [1, 0.2, 0.9],
    reward: 1,
    attempt: 1,
    rewardBreakdown: {
      group: null,
      nonterminal: null,
      sum: 2.1,
      reduction: "sum",
      reduced: 2.1,
      clamped: 1,
    },
  });
}

/** For the last turn; the stream before it came without log-probabilities and is not stored. */
function lastStream() {
  const ids = Array.from({ length: 60 }, (_, index) => 100 + index);
  const mask = ids.map((_, index) => (index < 40 ? 0 : 1));
  return {
    group: 0,
    rollout: 0,
    stream: 2,
    ids,
    mask,
    samplerLogprobs: mask.map((trained) => trained * -0.5),
    trainerLogprobs: ids.map((_, index) => (index === 0 ? Number.NaN : -0.5)),
    advantages: mask.map((trained) => trained * 0.5),
    turns: mask.map((trained) => (trained === 1 ? 3 : -1)),
  };
}

function longTokens(length: number) {
  const ids = Array.from({ length }, (_, index) => 5 + (index % 400));
  const isTrained = (index: number): boolean => index >= 500 && index % 50 < 40;
  return {
    group: 0,
    rollout: 0,
    stream: 0,
    ids,
    samplerLogprobs: ids.map((_, index) => (isTrained(index) ? -((index % 17) / 4) : 0)),
    trainerLogprobs: ids.map((_, index) =>
      index === 0 ? Number.NaN : -((index % 17) / 4) + Math.sin(index) / 10,
    ),
    advantages: ids.map((_, index) => (isTrained(index) ? Math.cos(index / 300) : 0)),
    turns: ids.map((_, index) => (index < 500 ? -1 : Math.floor((index - 500) / 1000))),
    mask: ids.map((_, index) => (isTrained(index) ? 1 : 0)),
  };
}
