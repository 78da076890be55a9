import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { parseArguments } from "../../src/cli/arguments/arguments.ts";
import { estimateLines } from "../../src/cli/estimateLines.ts";
import { runProgram } from "../../src/cli/program.ts";
import { renderLine } from "../../src/cli/terminal/line.ts";
import { joinEstimates } from "../../src/core/estimate/joinEstimates.ts";
import type { EstimateReport } from "../../src/core/estimate/report.ts";
import type { EstimateRequest } from "../../src/trainer/plan/types.ts";
import { aPlan } from "../core/estimate/aPlan.ts";
import { aTrainer, createFakeProgram } from "./fakeProgram.ts";

const range = (mean: number) => ({ mean, low: mean / 2, high: mean * 2 });

const REPORT: EstimateReport = {
  model: "Org/Model",
  estimate: {
    tokens: {
      sampled: range(1_234_567),
      prefill_cached: range(999.6),
      prefill_uncached: range(40_000),
      trained: range(0),
    },
    totalTokens: range(1_275_567),
    evaluationTokens: range(0),
    costUsd: range(12.5),
    hours: { low: 1, high: 2.5 },
    steps: 100,
    unplayed: ["Owner/Game"],
  },
  plan: aPlan({
    steps: 100,
    environments: [{ name: "Owner/Game", groups: 800, rollouts: 8 }],
    atOnce: 64,
  }),
  prices: {
    model: "Org/Model",
    prices: { sampled: 4, prefill_cached: 1, prefill_uncached: 2, trained: 3 },
    source: "price_list",
    date: "2026-11-20",
  },
  restsOn: { run: null, steps: 1, groups: 2, rollouts: 16 },
  budgets: { max_cost_usd: 5, max_tokens_total: null, max_hours: 9 },
};

function program({ isBilled = true, pastRun = null as string | null } = {}) {
  const requests: EstimateRequest[] = [];
  const trainer = aTrainer({
    estimateBasis: async () => ({ pastRun, model: "Org/Model", isBilled }),
    startEstimate: (request) => {
      requests.push(request);
      request.onEstimate(REPORT);
      const ended = Promise.resolve({ outcome: "done", folder: null } as const);
      return { ended, stopAndSave: () => undefined, stopNow: () => undefined };
    },
  });
  return { ...createFakeProgram({ trainer }), requests };
}

it("groups that cost money are played only with consent", async () => {
  const asked = program();
  expect(await runProgram(asked, ["estimate", "a.yaml"])).toBe(2);
  expect(asked.err.lines.join("\n")).toContain("Add --yes to agree, or --from RUN_FOLDER");
  expect(asked.requests).toEqual([]);
  const agreed = program();
  expect(await runProgram(agreed, ["estimate", "a.yaml", "--yes"])).toBe(0);
  expect(agreed.requests).toMatchObject([{ from: null, groups: null }]);
  const free = program({ isBilled: false });
  expect(await runProgram(free, ["estimate", "a.yaml", "--groups", "3"])).toBe(0);
  expect(free.requests).toMatchObject([{ from: null, groups: 3 }]);
});

it.each([
  ["y", 0, 1],
  ["n", 2, 0],
])(
  "a terminal asks how many groups may be played, and answers %s",
  async (answer, code, starts) => {
    const asked = program();
    const input = Object.assign(new PassThrough(), { isTTY: true });
    input.end(`${answer}\n`);
    expect(await runProgram({ ...asked, input }, ["estimate", "a.yaml"])).toBe(code);
    expect(asked.err.lines.slice(0, 2)).toEqual([
      "There is no past run with these environments and this model.",
      "This samples 2 groups in each environment with Org/Model. The service bills them; no weights are changed.",
    ]);
    expect(asked.requests).toHaveLength(starts);
  },
);

it("a past run is used by default, unless groups are requested or another run is named", async () => {
  const past = program({ pastRun: "/runs/old" });
  await runProgram(past, ["estimate", "a.yaml"]);
  await runProgram(past, ["estimate", "a.yaml", "--from", "runs/other"]);
  await runProgram(past, ["estimate", "a.yaml", "--groups", "4", "--yes"]);
  expect(past.requests.map(({ from, groups }) => [from, groups])).toEqual([
    [null, null],
    ["/home/me/runs/other", null],
    [null, 4],
  ]);
});

it("the table has tokens by kind, cost and time as ranges, budgets, and its basis", async () => {
  const shown = program();
  await runProgram(shown, ["estimate", "a.yaml", "--yes"]);
  const text = shown.out.lines.join("\n");
  expect(text).toContain("100 steps, 6,400 rollouts");
  expect(text).toMatch(/sampled tokens +1\.23M +617k +2\.47M/);
  expect(text).toMatch(/cached prompt tokens +1k +500 +2k/);
  expect(text).toMatch(/cost +\$12\.50 +\$6\.25 +\$25\.00/);
  expect(text).toMatch(/time +1 h 00 min +2 h 30 min/);
  expect(text).toContain("max_cost_usd: 5 may end the run at step 20 or later.");
  expect(text).not.toContain("max_hours");
  expect(text).toMatch(/based on +16 rollouts in 2 groups, sampled now/);
  expect(text).toContain("the vendor's list of 2026-11-20");
  expect(text).toContain("Owner/Game was not sampled");
});

it("the runs of a sweep have a row each, their sum, and budgets of their own", () => {
  const budgets = { max_cost_usd: null, max_tokens_total: null, max_hours: null };
  const names = ["lora_rank 8", "lora_rank 16"];
  const estimates = names.map((name) => ({ name, method: "rl", report: REPORT }) as const);
  const report = joinEstimates({ kind: "runs", estimates }, budgets);
  const lines = estimateLines(report, { cwd: "/home/me" }, 100);
  const text = lines.map((line) => renderLine(line, false)).join("\n");
  expect(text).toMatch(/^run +steps .*\nlora_rank 8 +100 .*\nlora_rank 16 +100 /m);
  expect(text).toMatch(/^all runs[\s\S]*cost +\$25\.00 +\$12\.50 +\$50\.00/m);
  expect(text).toContain("max_cost_usd may end 2 of these runs early.");
});

it("a local model has no prices, and those of another model may be unknown", () => {
  const pricesOf = (model: string): string => {
    const lines = estimateLines({ ...REPORT, model, prices: null }, { cwd: "/home/me" }, 100);
    const text = lines.map((line) => renderLine(line, false)).find((row) => /^prices/.test(row));
    return text ?? "";
  };
  expect(pricesOf("local/tiny-tool")).toMatch(/ none: the model is trained on this computer$/);
  expect(pricesOf("Org/Model")).toMatch(/ unknown: set prices to get USD$/);
});

it("--json prints only the estimate", async () => {
  const shown = program();
  await runProgram(shown, ["estimate", "a.yaml", "--yes", "--json"]);
  const value: unknown = JSON.parse(shown.out.lines.join("\n"));
  expect(value).toMatchObject({ format: "tinker-rl.estimate/1", isEndless: false, steps: 100 });
});

it("--groups and --from exclude each other", () => {
  const words = ["estimate", "a.yaml", "--groups", "2"];
  expect(() => parseArguments([...words, "--from", "runs/a"])).toThrow("use one of them");
  expect(() => parseArguments(["estimate", "a.yaml", "--groups", "0"])).toThrow("not at least 1");
});
