import { describe, expect, it } from "vitest";
import { checkText } from "../../../src/core/config/check.ts";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { redactSecrets, withoutSecretValues } from "../../../src/core/config/secretValues.ts";
import { describeProblem } from "../../../src/core/config/source/problem.ts";
import { sharedBudgets } from "../../../src/core/config/stages.ts";

const FILE = `model_name: local/tiny-tool
environments:
  local/calculator: { splits: { train: {} }, num_rollouts: 8 }
batch_size: 8
max_tokens_total: 1000
stages:
  imitate: { method: sft, data: [{ path: plays.jsonl }], max_steps: 15 }
  reinforce:
    max_steps: 40
    max_tokens_total: 300
    environments:
      local/calculator: { num_rollouts: 4 }
`;
const OPTIONS = { path: "a.yaml", overrides: [] };

const linesOf = (text: string, overrides: readonly string[] = []) =>
  checkText(text, { path: "a.yaml", overrides })
    .problems.filter(({ severity }) => severity === "error" || severity === "warning")
    .map((problem) => describeProblem(problem, "a.yaml"));
const configOf = (overrides: readonly string[], text = FILE) => {
  const parsed = parseConfig(text, { path: "a.yaml", overrides });
  if (!parsed.ok) throw new Error(parsed.problems.map(({ message }) => message).join("\n"));
  return parsed.config;
};

describe("a stage", () => {
  it("is the file with its own settings on top, merged key by key within mappings", () => {
    const config = configOf(["stage=reinforce"]);
    expect(config).toMatchObject({ stage: "reinforce", stages: null, max_steps: 40 });
    const environment = config.environments["local/calculator"];
    expect(environment).toMatchObject({ num_rollouts: 4, splits: { train: {} } });
  });

  it("is overridden by the command line, which applies to all stages", () => {
    expect(configOf(["stage=reinforce", "max_steps=3"]).max_steps).toBe(3);
    expect(configOf(["stage=imitate", "max_steps=3"]).max_steps).toBe(3);
    const wrong = linesOf(FILE, ["max_steps=0"]);
    expect(wrong).toEqual([expect.stringContaining("--overrides max_steps=0: error: TRL121")]);
  });

  it("resumes a run when it is the chosen one", () => {
    const text = `resume_from: tinker://a/weights/b\n${FILE}`;
    expect(linesOf(text, ["stage=reinforce"])).toEqual([]);
  });

  it("has its own budget, and a share of the file's", () => {
    expect(configOf(["stage=reinforce"]).max_tokens_total).toBe(300);
    expect(sharedBudgets(FILE, OPTIONS)).toEqual({
      max_tokens_total: 1000,
      max_cost_usd: null,
      max_hours: null,
    });
  });

  it("has its secrets hidden like those of the file", () => {
    const text = FILE.replace("max_steps: 40", "max_steps: 40\n    secrets: { TOKEN: hushhush }");
    expect(JSON.stringify(redactSecrets(configOf([], text)))).not.toContain("hushhush");
    expect(withoutSecretValues(text)).not.toContain("hushhush");
    expect(linesOf(text)).toEqual([expect.stringMatching(/TRL400 .*stages\.reinforce\.secrets/)]);
  });

  it("leaves the file unchanged, with all stages, when not chosen", () => {
    expect(Object.keys(configOf([]).stages ?? {})).toEqual(["imitate", "reinforce"]);
  });
});

describe("problems with stages", () => {
  const problems = (from: string, to: string) => linesOf(FILE.replace(from, to));

  it.each([
    ["max_steps: 40", "max_step: 40", /^a\.yaml:9:5: error: TRL110 Unknown key `max_step`/],
    [
      "max_steps: 40",
      "max_steps: 0",
      /^a\.yaml:9:16: error: TRL121 .*stages\.reinforce\.max_steps/,
    ],
    [
      "num_rollouts: 4",
      "num_rollouts: 1",
      /^a\.yaml:12:41: error: TRL121 .*stages\.reinforce\.environments/,
    ],
    ["max_steps: 40", "lora_rank: 16", /TRL229 `lora_rank` holds for all stages/],
    ["max_steps: 40", "learning_rate: 1e-3", /TRL229 Stage `reinforce` has no end/],
    [
      "max_steps: 15",
      "init_from: stage:reinforce, max_steps: 1",
      /is not a stage before `imitate`/,
    ],
    [
      "max_steps: 40",
      "max_steps: 40\n    teacher: { checkpoint: stage:late }",
      /`stage:late` is not a stage before `reinforce`.*stages\.reinforce\.teacher\.checkpoint/,
    ],
    [
      "max_steps: 40",
      'max_steps: 40\n    data: [{ run: "stage:imitate@5" }]',
      /`stage:imitate@5` is not a stage before `reinforce`/,
    ],
    ["path: plays.jsonl", 'run: "stage:late"', /`stage:late` is not a stage before `imitate`/],
    ["stages:", "stage: reinforc\nstages:", /There is no stage `reinforc`; `stages` has/],
    [
      "stages:",
      "resume_from: tinker://a/weights/b\nstages:",
      /TRL229 `resume_from` continues one run/,
    ],
  ])("%s → %s is reported in place", (from, to, words) => {
    expect(problems(from, to)).toContainEqual(expect.stringMatching(words));
  });

  it.each([
    ["max_steps: 40", "max_steps: 40\n    init_from: imitate"],
    ["max_steps: 40", "max_steps: 40\n    data: [{ run: imitate }]"],
  ])("a stage's bare name is read as a folder, so %s → %s causes a warning", (from, to) => {
    const message =
      /warning: TRL229 `imitate` is read as a folder\. Did you mean .* `stage:imitate`\?/;
    expect(problems(from, to)).toContainEqual(expect.stringMatching(message));
    expect(problems(from, to.replace("imitate", "./imitate"))).not.toContainEqual(
      expect.stringMatching(message),
    );
    expect(problems("max_steps: 15", "max_steps: 15, init_from: reinforce")).toEqual([]);
  });

  it("accepts weights after a step of an earlier stage", () => {
    expect(problems("max_steps: 40", "max_steps: 40\n    init_from: stage:imitate@5")).toEqual([]);
  });

  it("have fixes that add a key to the stage, but one for all stages to the rest of the file", () => {
    const text = `model_name: Qwen/Qwen3.5-397B-A17B
batch_size: 8
max_active_tasks: 16
stages:
  imitate: { method: sft, data: [{ path: plays.jsonl }], max_steps: 15 }
  reinforce:
    max_steps: 40
    max_total_tokens: 100000
    environments:
      acme/game: { splits: { train: {} }, num_rollouts: 8, max_turns: 8 }
`;
    const remedies = checkText(text, OPTIONS).problems.flatMap((problem) => problem.remedies);
    const places = remedies.flatMap((each) => (each.kind === "set" ? [each.path.join("/")] : []));
    expect(places).toContain("stages/reinforce/environments/acme/game/nonterminal_reward");
    expect(places).toContain("stages/reinforce/max_total_tokens");
    expect(places).toContain("model_name");
  });

  it("in shared settings are reported once, and not if they affect only one stage", () => {
    expect(problems("batch_size: 8", "batch_size: 0")).toHaveLength(1);
    // Only the supervised stage ignores it.
    expect(problems("batch_size: 8", "batch_size: 8\nkl_coef: 0.01")).toEqual([]);
    expect(problems("method: sft,", "method: sft, kl_coef: 0.01,")).toEqual([
      expect.stringMatching(/^a\.yaml:7:.*warning: TRL226 `kl_coef` has no effect/),
    ]);
  });
});
