import { basename } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { gatherReport } from "../../../src/core/report/report.ts";
import { reportCharts } from "../../../src/core/report/reportCharts.ts";
import { reportHtml } from "../../../src/core/report/reportHtml.ts";
import { reportMarkdown } from "../../../src/core/report/reportMarkdown.ts";
import { runPaths } from "../../../src/core/runFolder/files/layout.ts";
import { markRollout, markRun } from "../../../src/core/runFolder/marks.ts";
import { appendMetrics, buildMetricsRow } from "../../../src/core/runFolder/metrics/metrics.ts";
import type { RolloutRecord } from "../../../src/core/runFolder/rollouts/rolloutRecord.ts";
import { createRolloutStore } from "../../../src/core/runFolder/rollouts/rolloutStore.ts";
import { settingsChanged } from "../../../src/core/runFolder/settingEvents.ts";
import { Redactor } from "../../../src/core/secrets/redaction/redactor.ts";
import { encodeJsonLine } from "../../../src/core/util/jsonl.ts";
import { sha256 } from "../../../src/node/hash.ts";
import {
  anAgentRecord,
  aRecord,
  aRecordedTurn,
  aRunFile,
  aStoredResult,
  rolloutFacts,
  stepFacts,
} from "../runFolder/builders.ts";
import { createMemoryFileSystem } from "../runFolder/memoryFileSystem.ts";

const OPTIONS = {
  nowMs: 0,
  isProcessAlive: () => false,
  version: "1.2.3",
  shorten: (text: string) => text.replace("/home/me", "~"),
  sha256,
};
const HOSTILE = '<script>alert(1)</script>\u202e"onload="x';

let files = createMemoryFileSystem();

beforeEach(() => {
  files = createMemoryFileSystem();
});

/** A run folder with one step per reward, and these rollouts of the last step. */
async function aRun(
  name: string,
  {
    rewards = [0, 0.5, 1],
    records = [],
    config = {},
  }: {
    readonly rewards?: readonly number[];
    readonly records?: readonly RolloutRecord[];
    readonly config?: object;
  } = {},
) {
  for (const [step, reward] of rewards.entries()) {
    const rollouts = [rolloutFacts({ reward })];
    await appendMetrics(files, name, buildMetricsRow(stepFacts({ step, rollouts })));
  }
  const store = createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder: name });
  for (const record of records) await store.addRollout(record);
  const settings = { model_name: "local/tiny-tool", lora_rank: 8, ...config };
  await files.writeAtomic(runPaths(name).resolvedConfig, JSON.stringify(settings));
  return { folder: name, name: basename(name) };
}

describe("a report of one run", () => {
  it("shows a task number without thousands separators", async () => {
    const run = await aRun("demo", { records: [aRecord({ step: 2, index: 1_927 })] });
    expect(reportHtml(await gatherReport(files, [run], OPTIONS))).toContain("train 1927");
  });

  it("begins with the first step, however many there are", async () => {
    const row = buildMetricsRow(stepFacts({ step: 0, rollouts: [rolloutFacts({ reward: 1 })] }));
    const lines = Array.from({ length: 5_002 }, (_, step) => {
      const rollout = { reward: { mean: step < 2 ? 0 : 1 } };
      return `${JSON.stringify({ ...row, step, rollout })}\n`;
    });
    await files.append(runPaths("demo").metrics, lines.join(""));
    const report = await gatherReport(files, [{ folder: "demo", name: "demo" }], OPTIONS);
    expect(reportMarkdown(report)).toMatch(/Mean reward: .* 0(\.00)? → 1/);
    expect(reportHtml(report)).toContain("<svg");
  });

  it("shows when the run began, not when it was resumed", async () => {
    const run = await aRun("demo");
    const file = aRunFile({ attempt: 2, startedAtMs: Date.UTC(2026, 10, 29, 12) });
    await files.writeAtomic(runPaths("demo").runFile, JSON.stringify(file));
    const report = () => gatherReport(files, [run], OPTIONS);
    expect(reportMarkdown(await report())).toContain("started 2026-11-29 12:00 UTC");
    const events = [9, 12].map((hour, index) => ({
      kind: "run-started",
      timeMs: Date.UTC(2026, 10, 29, hour),
      attempt: index + 1,
      step: null,
      level: "info",
      message: "",
      data: {},
    }));
    for (const event of events) await files.append(runPaths("demo").events, encodeJsonLine(event));
    expect(reportMarkdown(await report())).toContain("started 2026-11-29 09:00 UTC");
  });

  it("lists settings changed during training, and whether an evaluation differs from the first", async () => {
    const run = await aRun("demo");
    const rate = { path: ["learning_rate"], before: 0.004, after: 0.2 };
    const changed = { timeMs: 0, attempt: 1, ...settingsChanged(1, ["learning_rate"], [rate]) };
    await files.append(runPaths("demo").events, encodeJsonLine(changed));
    const difference = { tasks: 24, mean: 0.31, low: 0.24, high: 0.38 };
    const evaluations = [aStoredResult(), aStoredResult({ difference })].map((result, step) => {
      return { step, purpose: "periodic", timeMs: 0, results: [result] };
    });
    for (const line of evaluations) {
      await files.append(runPaths("demo").evaluations, encodeJsonLine(line));
    }
    const report = await gatherReport(files, [run], OPTIONS);
    for (const text of [reportMarkdown(report), reportHtml(report)]) {
      expect(text).toMatch(/step 2: learning\\?_rate 0\.004 → 0\.2/);
      expect(text.replaceAll("\\", "")).toContain("+0.31 [+0.24, +0.38]");
    }
  });

  it("has the reward of each environment in Markdown if there are several", async () => {
    const run = await aRun("demo", { rewards: [] });
    for (const [step, reward] of [0.25, 0.75].entries()) {
      const env = { maze: { reward: { mean: reward } }, code: { reward: { mean: 1 - reward } } };
      await appendMetrics(files, "demo", { step, rollout: { reward: { mean: 0.5 }, env } });
    }
    const failing = { reward: { mean: 1 }, scored_frac: 0.06 };
    const rollout = { ...failing, env: { maze: failing, code: failing } };
    await appendMetrics(files, "demo", { step: 2, rollout });
    const text = reportMarkdown(await gatherReport(files, [run], OPTIONS));
    expect(text).toMatch(/Mean reward: `..` 0\.50 → 0\.50\n/);
    expect(text).toMatch(/In code: `..` 0\.75 → 0\.25\n\nIn maze: `..` 0\.25 → 0\.75\n/);
  });

  it("plots the same divergence and entropy that alarms use", async () => {
    const run = await aRun("demo", { rewards: [] });
    const optim = { kl_sample_train_v1: -1, kl_sample_train_v2: 2, entropy: 3 };
    await appendMetrics(files, "demo", { step: 0, optim, rollout: { entropy: 4 } });
    const sections = reportCharts(await gatherReport(files, [run], OPTIONS));
    const drawn = sections.flatMap(({ charts }) =>
      charts.map(({ title, lines }) => [
        title,
        ...lines.flatMap(({ values }) => Array.from(values)),
      ]),
    );
    expect(drawn).toEqual([
      ["Entropy", 4],
      ["KL sampler to trainer", 2],
    ]);
  });

  it("has the best and the worst rollout of the last step, and starred ones", async () => {
    const records = [0.5, 1, 0].map((reward, rollout) => aRecord({ step: 2, rollout, reward }));
    const run = await aRun("demo", { records });
    const key = { source: "training", step: 2, group: 0, rollout: 0 } as const;
    await markRollout(files, "demo", key, { star: true, note: "look" });
    const { runs } = await gatherReport(files, [run], OPTIONS);
    expect(
      runs[0]?.rollouts.map(({ reason, step, trajectory }) => [reason, step, trajectory.reward]),
    ).toEqual([
      ["best", 3, 1],
      ["worst", 3, 0],
      ["starred", 3, 0.5],
    ]);
  });

  it("takes them from the last complete step whose rewards differ", async () => {
    const played = [[0, 0.25], [1, 1], [0.5]];
    const records = played.flatMap((rewards, step) =>
      rewards.map((reward, rollout) => aRecord({ step, rollout, reward })),
    );
    const run = await aRun("demo", { rewards: [], records });
    for (const [step, rewards] of played.slice(0, 2).entries()) {
      const rollouts = rewards.map((reward) => rolloutFacts({ reward }));
      await appendMetrics(files, "demo", buildMetricsRow(stepFacts({ step, rollouts })));
    }
    const { runs } = await gatherReport(files, [run], OPTIONS);
    expect(
      runs[0]?.rollouts.map(({ reason, step, trajectory }) => [reason, step, trajectory.reward]),
    ).toEqual([
      ["best", 1, 0.25],
      ["worst", 1, 0],
    ]);
  });

  it("names no worst rollout if all have the same reward", async () => {
    const records = [0, 1].map((rollout) => aRecord({ rollout, reward: 1 }));
    const { runs } = await gatherReport(files, [await aRun("demo", { records })], OPTIONS);
    expect(runs[0]?.rollouts.map(({ reason }) => reason)).toEqual(["best"]);
  });

  it("has the agent's requests in each of its conversations", async () => {
    const records = [{ ...anAgentRecord(), reward: 1 }];
    const html = reportHtml(await gatherReport(files, [await aRun("demo", { records })], OPTIONS));
    for (const asked of ["Be brief.", "Add 2 to 3.", "Was it right?"])
      expect(html).toContain(asked);
    expect(html).not.toContain("What is 2 + 3?");
  });

  it("shortens paths in settings", async () => {
    const run = await aRun("demo", { config: { log_path: "/home/me/logs" } });
    const html = reportHtml(await gatherReport(files, [run], OPTIONS));
    expect(html).toContain("~/logs");
    expect(html).not.toContain("/home/me");
  });

  it("loads and runs nothing, whatever models, tasks, and notes contain", async () => {
    const record = aRecord({
      step: 2,
      promptText: HOSTILE,
      turns: [aRecordedTurn({ content: HOSTILE, reasoning: HOSTILE })],
      error: HOSTILE,
      stop: HOSTILE,
    });
    const run = await aRun("demo", { records: [record], config: { [HOSTILE]: HOSTILE } });
    await markRun(files, "demo", { note: HOSTILE, addTag: HOSTILE });
    const html = reportHtml(await gatherReport(files, [run], OPTIONS));
    expect(html.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(5);
    expect(html).not.toMatch(/<script|\u202e|<[^>]*"onload/);
    expect(html).toContain("default-src 'none'");
    expect(html).not.toMatch(/(src|href)=/);
  });

  it("of a thousand steps stays below 5 MB", async () => {
    const rewards = Array.from({ length: 1_000 }, (_, step) => Math.sin(step) ** 2);
    const html = reportHtml(await gatherReport(files, [await aRun("long", { rewards })], OPTIONS));
    expect(html.length).toBeLessThan(5e6);
    expect(html).toContain("Mean reward");
  });

  it("truncates long texts and states how much is missing", async () => {
    const record = aRecord({ step: 2, promptText: "x".repeat(10_000) });
    const html = reportHtml(
      await gatherReport(files, [await aRun("demo", { records: [record] })], OPTIONS),
    );
    expect(html).toContain("… (4,000 more characters)");
  });

  it("states and plots a supervised run's loss, and shows no examples as best rollouts", async () => {
    const run = await aRun("sft", { rewards: [], records: [aRecord({ step: 1 })] });
    await files.writeAtomic(runPaths("sft").runFile, JSON.stringify(aRunFile({ phase: "done" })));
    for (const step of [0, 1]) {
      const fit = { steps: step + 1, was: 0.8, now: 0.8 - 0.3 * step };
      const row = {
        step,
        num_examples: 8,
        loss: fit.now,
        held_out: { loss: 0.6 - step / 10 },
        fit,
      };
      await appendMetrics(files, "sft", row);
    }
    const report = await gatherReport(files, [run], OPTIONS);
    expect(reportMarkdown(report)).toContain("**Loss: 0.800 → 0.500 in 2 steps**");
    expect(reportHtml(report)).toContain("Held-out loss");
    expect(report.runs[0]?.rollouts).toEqual([]);
  });

  it("of an evaluation does not require a step", async () => {
    const run = await aRun("measured", { rewards: [] });
    const entry = { step: 0, purpose: "asked", timeMs: 0, results: [aStoredResult()] };
    const model = { name: "base", path: null };
    await files.append(
      runPaths("measured").evaluations,
      `${JSON.stringify({ ...entry, model })}\n`,
    );
    const text = reportMarkdown(await gatherReport(files, [run], OPTIONS));
    expect(text).toContain("**1 evaluation**");
  });

  it("has no charts and no tables before its first step", async () => {
    const html = reportHtml(
      await gatherReport(files, [await aRun("new", { rewards: [] })], OPTIONS),
    );
    expect(html).toContain("No step is complete yet");
    expect(html).not.toContain("<svg");
  });
});

describe("a report of several runs", () => {
  it("lists the settings that differ, and plots a line for each run", async () => {
    const runs = [
      await aRun("low", { config: { learning_rate: 0.001 } }),
      await aRun("high", { config: { learning_rate: 0.01, seed: 2 } }),
    ];
    const report = await gatherReport(files, runs, OPTIONS);
    expect(report.differing).toEqual([
      { key: "learning_rate", values: ["0.001", "0.01"] },
      { key: "seed", values: [null, "2"] },
    ]);
    const [reward] = reportHtml(report).match(/<figure class="wide">.*?<\/figure>/s) ?? [];
    expect(reward?.match(/<path/g)).toHaveLength(2);
    expect(reportHtml(report)).toMatch(/<h2>Reward<\/h2>\n<p class="legend">.*low.*high/);
  });

  it("collapses settings that only one run has, such as those of its environment", async () => {
    const runs = [
      await aRun("one", { config: { seed: 1, environments: { a: { num_rollouts: 4 } } } }),
      await aRun("two", { config: { seed: 2, environments: { b: { num_rollouts: 4 } } } }),
    ];
    const report = await gatherReport(files, runs, OPTIONS);
    expect(reportHtml(report)).toContain("<summary>2 settings that only one run has");
    const [, settings = ""] = reportMarkdown(report).split("### Settings that differ");
    expect(settings).toContain("| seed | 1 | 2 |\n\n2 settings that only one run has.");
  });

  it("ignores a run without a readable configuration when comparing settings", async () => {
    const runs = [await aRun("one"), await aRun("two"), await aRun("three")];
    await files.remove(runPaths("two").resolvedConfig);
    expect((await gatherReport(files, runs, OPTIONS)).differing).toEqual([]);
  });

  it.each(["", "C:\\runs\\"])("names runs of a sweep in %j by their settings", async (parent) => {
    const sweep = { id: "s", name: "lr", combination: 0, combinations: 2 };
    const runs = await Promise.all(
      ["lr-1", "lr-2"].map(async (name) => ({ ...(await aRun(`${parent}${name}`)), name })),
    );
    for (const [index, { folder, name }] of runs.entries()) {
      const settings = [`learning_rate=1e-${index + 2}`];
      const file = aRunFile({ name, sweep: { ...sweep, settings } });
      await files.writeAtomic(runPaths(folder).runFile, JSON.stringify(file));
    }
    const report = await gatherReport(files, runs, OPTIONS);
    expect(report.runs.map((run) => run.name)).toEqual(["lr 1e-2", "lr 1e-3"]);
  });

  it("states and plots which setting of a sweep mattered", async () => {
    const sweep = { id: "s", name: "lr <sweep>", combination: 0, combinations: 6 };
    const runs = await Promise.all(
      ["1e-3", "1e-2"].flatMap((rate) =>
        [1, 2, 3].map(async (seed) => {
          const reward = Number(rate) * 80 + 0.01 * seed;
          const run = await aRun(`${rate}-${seed}`, { rewards: [0, reward] });
          const settings = [`learning_rate=${rate}`, `seed=${seed}`];
          const file = aRunFile({ name: run.folder, phase: "done", sweep: { ...sweep, settings } });
          await files.writeAtomic(runPaths(run.folder).runFile, JSON.stringify(file));
          return run;
        }),
      ),
    );
    const report = await gatherReport(files, runs, OPTIONS);
    const html = reportHtml(report);
    expect(html).toContain("<h2>Sweep lr &lt;sweep&gt;</h2>");
    expect(html).toMatch(/<p class="sentence">learning_rate mattered: it explains \d+%/);
    expect(html.match(/<circle/g)).toHaveLength(6);
    expect(reportMarkdown(report)).toMatch(/- learning\\_rate: explains \d+%/);
    const [alone] = runs;
    const single = await gatherReport(files, alone === undefined ? [] : [alone], OPTIONS);
    expect(reportHtml(single)).not.toContain("<h2>Sweep");
  });

  it.each([
    { heldOut: {}, by: "Runs are compared by the mean loss of the last steps (at most 5)." },
    {
      heldOut: { held_out: 0.8 },
      by: "Runs are compared by the newest loss on held-out examples.",
    },
  ])("states for supervised runs of a sweep: $by", async ({ heldOut, by }) => {
    const sweep = { id: "s", name: "lr", combination: 0, combinations: 2 };
    const runs = ["1e-3", "1e-2"].map((folder) => ({ folder, name: folder }));
    for (const { folder, name } of runs) {
      const settings = [`learning_rate=${name}`];
      const file = aRunFile({ name, phase: "done", sweep: { ...sweep, settings } });
      await files.writeAtomic(runPaths(folder).runFile, JSON.stringify(file));
      const fit = { steps: 1, was: 1, now: Number(name), ...heldOut };
      await appendMetrics(files, folder, { step: 0, fit });
    }
    const report = await gatherReport(files, runs, OPTIONS);
    expect(reportHtml(report)).toContain(by);
    expect(reportMarkdown(report)).toContain(by);
  });

  it("gives runs with equal names different names", async () => {
    const { runs } = await gatherReport(files, [await aRun("a/run"), await aRun("b/run")], OPTIONS);
    expect(runs.map(({ name }) => name)).toEqual(["run", "run (2)"]);
  });
});

describe("a report in Markdown", () => {
  it("has the rewards as block characters, and escapes all markup", async () => {
    const run = await aRun("demo", { rewards: [0, 0, 1] });
    await markRun(files, "demo", { note: "see #12 | <b>@all</b>" });
    const text = reportMarkdown(await gatherReport(files, [run], OPTIONS));
    expect(text).toContain("Mean reward: `▁▁█`");
    expect(text).toContain("see \\#12 \\| \\<b\\>\\@all\\</b\\>");
  });
});
