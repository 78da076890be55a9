import { describe, expect, it } from "vitest";
import { messagesIn, parse, textWith, textWithEnvironment } from "../configText.ts";

function codesIn(text: string): readonly string[] {
  const result = parse(text);
  const problems = result.ok ? result.warnings : result.problems;
  return problems.map(({ severity, path }) => `${severity} ${path.join(" > ")}`);
}

describe("the clip thresholds", () => {
  const withLoss = (loss: string, parameters: string) =>
    textWith(`loss_fn: ${loss}`, `loss_fn_config: {${parameters}}`);

  it.each([
    ["ppo", "clip_low_threshold: 0.8, clip_high_threshold: 1.28"],
    ["ppo", "clip_low_threshold: 0.2"],
    ["ppo", "clip_high_threshold: 3"],
    ["cispo", "clip_high_threshold: 4"],
    ["dro", "beta: 0.1"],
    ["importance_sampling", ""],
  ])("of %s may be {%s}", (loss, parameters) => {
    expect(codesIn(withLoss(loss, parameters))).toEqual([]);
  });

  it.each([
    ["ppo", "clip_low_threshold: 0.2, clip_high_threshold: 0.2", "loss_fn_config"],
    ["ppo", "clip_low_threshold: 1.1", "loss_fn_config"],
    ["ppo", "clip_low_threshold: -0.1", "loss_fn_config"],
    ["cispo", "clip_low_threshold: 5", "loss_fn_config"],
    ["dro", "beta: -1", "loss_fn_config > beta"],
    ["dro", "clip_low_threshold: 0.8", "loss_fn_config > clip_low_threshold"],
    ["importance_sampling", "beta: 1", "loss_fn_config > beta"],
  ])("of %s may not be {%s}", (loss, parameters, path) => {
    expect(codesIn(withLoss(loss, parameters))).toEqual([`error ${path}`]);
  });

  it("of dro require its loss to be a sum over tokens", () => {
    const text = (loss: string) => textWith(`loss_fn: ${loss}`, "loss_normalization: token_mean");
    expect(codesIn(text("ppo"))).toEqual([]);
    expect(codesIn(text("dro"))).toEqual(["error loss_normalization"]);
  });

  it("are explained as ratio bounds when given as an epsilon", () => {
    const text = withLoss("ppo", "clip_low_threshold: 0.2, clip_high_threshold: 0.2");
    expect(messagesIn(text)[0]).toMatch(
      /bounds of the probability ratio.*`clip_low_threshold: 0.8` and `clip_high_threshold: 1.2`/,
    );
  });
});

describe("the bounds of a correction", () => {
  const withBounds = (correction: string, bounds: string) =>
    textWith(`off_policy_correction: ${correction}`, `off_policy_correction_config: {${bounds}}`);

  it.each([
    ["none", ""],
    ["tis", "ratio_high: 5"],
    ["icepop", "ratio_low: 0.2, ratio_high: 4"],
    ["sequence_mask", "ratio_high: 1.05"],
  ])("of %s may be {%s}", (correction, bounds) => {
    expect(codesIn(withBounds(correction, bounds))).toEqual([]);
  });

  it.each([
    ["none", "ratio_high: 2", "off_policy_correction_config > ratio_high"],
    ["tis", "ratio_low: 0.5", "off_policy_correction_config > ratio_low"],
    ["tis", "ratio_high: 0.2", "off_policy_correction_config"],
    ["icepop", "ratio_low: 1.5", "off_policy_correction_config"],
    ["sequence_mask", "ratio_high: 0.01", "off_policy_correction_config"],
  ])("of %s may not be {%s}", (correction, bounds, path) => {
    expect(codesIn(withBounds(correction, bounds))).toEqual([`error ${path}`]);
  });
});

it("several passes over the same data need a loss that clips", () => {
  const passes = (...lines: readonly string[]) => textWith("num_passes: 2", ...lines);
  expect(codesIn(passes())).toEqual([]);
  expect(codesIn(passes("loss_fn: importance_sampling"))).toEqual(["warning num_passes"]);
});

describe("rollouts sampled ahead", () => {
  const ahead = (steps: number, ...lines: readonly string[]) =>
    textWith(`max_steps_off_policy: ${steps}`, ...lines);
  const unbounded = "loss_fn: importance_sampling";

  it("need a loss that clips, or a correction", () => {
    expect(codesIn(ahead(4))).toEqual([]);
    expect(codesIn(ahead(0, unbounded))).toEqual([]);
    expect(codesIn(ahead(4, unbounded, "off_policy_correction: tis"))).toEqual([]);
    // Up to 2 steps, only an editor shows it.
    expect(codesIn(ahead(2, unbounded))).toEqual([]);
    expect(codesIn(ahead(3, unbounded))).toEqual(["warning max_steps_off_policy"]);
    expect(messagesIn(ahead(3, unbounded))[0]).toMatch(
      /trained 3 steps off-policy.*`ppo` or `cispo`/,
    );
  });
});

describe("loss_fn: stable_reinforce", () => {
  const stable = (...lines: readonly string[]) => textWith("loss_fn: stable_reinforce", ...lines);

  it("is for a hosted model, with or without samples from older weights, and has no parameters", () => {
    expect(codesIn(stable("max_steps_off_policy: 6", "kl_coef: 0.1"))).toEqual([]);
    expect(codesIn(stable("off_policy_correction: sequence_mask"))).toEqual([]);
    const parameter = stable("loss_fn_config: { beta: 1 }");
    expect(codesIn(parameter)).toEqual(["error loss_fn_config > beta"]);
  });

  it("is refused for an embedded model, which gets a loss that it has", () => {
    const text = stable().replace(/^model_name: .*$/m, "model_name: local/tiny-tool");
    expect(messagesIn(text)).toEqual([
      expect.stringMatching(/does not compute `stable_reinforce`.*`cispo` or `ppo`/),
    ]);
  });

  it("is refused with a correction that replaces the sampler's probabilities", () => {
    const found = codesIn(stable("off_policy_correction: tis"));
    expect(found).toEqual(["error off_policy_correction"]);
  });
});

it("bounds and values without effect cause no warning", () => {
  const lines = ["min_reward: 1", "max_reward: 1", "temperature: 1.0", "top_p: 1", "top_k:"];
  expect(codesIn(textWithEnvironment(...lines))).toEqual([]);
  expect(codesIn(textWithEnvironment("top_k: 0"))).toEqual([]);
});

describe("evaluation", () => {
  const on = (splits: string) => textWith("evaluation:", `  splits: {${splits}}`);

  it("may use environments that are not trained on", () => {
    expect(codesIn(on("local/calculator: [test], Other/World: [test]"))).toEqual([]);
  });

  it("refuses a name that is neither in the file nor a full name", () => {
    expect(messagesIn(on("Game: [test]"))).toEqual([
      "run.yaml:9:12: error: TRL300 `Game` is neither an environment in this file nor a full name. Write it as `Owner/Name` or `local/name`. (evaluation.splits.Game)",
    ]);
    expect(messagesIn(on("OwnerGame: [test]"))[0]).toContain("Did you mean `Owner/Game`?");
  });

  it("warns about a split that is trained on", () => {
    expect(codesIn(on("Owner/Game: [test, train]"))).toEqual([
      "warning evaluation > splits > Owner/Game > 1",
    ]);
  });
});

describe("a run with refill", () => {
  it.each([
    [[], []],
    [["advantage_calculation: direct"], ["warning refill"]],
    [["advantage_calculation: direct", "zero_variance: drop"], []],
    [["zero_variance: keep"], []],
    [["zero_variance: keep", "kl_coef: 0.1"], ["warning refill"]],
    [["num_epochs: 1", "learning_rate_schedule: linear"], ["warning learning_rate_schedule"]],
    [["max_steps: 9", "learning_rate_schedule: linear"], []],
  ])("and %j gets %j", (lines, findings) => {
    expect(codesIn(textWith(...lines))).toEqual([]);
    expect(codesIn(textWith("refill: true", ...lines))).toEqual(findings);
  });

  it.each([
    ["advantage_calculation: direct", "`advantage_calculation: direct` trains"],
    ["teacher: { model: Qwen/Qwen3-32B }", "A teacher trains"],
  ])("warns that %s keeps groups of equal rewards", (line, words) => {
    expect(messagesIn(textWith("refill: true", line)).join()).toContain(words);
  });
});

describe("a run", () => {
  it("of the embedded model may have a higher learning rate", () => {
    const local = (rate: string) =>
      codesIn(textWith(`learning_rate: ${rate}`).replace("Qwen/Qwen3-8B", "local/tiny-tool"));
    expect(local("0.03")).toEqual([]);
    expect(local("5")).toEqual(["warning learning_rate"]);
  });

  it("does not change the model without a learning rate", () => {
    expect(codesIn(textWith("learning_rate: 0"))).toEqual(["warning learning_rate"]);
  });

  it("reports to W&B once it has a valid project name", () => {
    expect(codesIn(textWith("wandb: offline", "wandb_project_name: mine"))).toEqual([]);
    expect(codesIn(textWith("wandb: online", "wandb_project_name: a/b"))).toContain(
      "error wandb_project_name",
    );
  });

  it("is warned that a run name alone does not enable W&B", () => {
    const names = ["wandb_project_name: mine", "openreward_run_name: mine"];
    expect(codesIn(textWith(...names))).toEqual([
      "warning wandb_project_name",
      "warning openreward_run_name",
    ]);
    const chosen = ["wandb: disabled", "openreward_upload: false"];
    expect(codesIn(textWith(...names, ...chosen))).toEqual([]);
  });

  it("is reported at the value of the invalid key", () => {
    expect(messagesIn(textWith("lora_rank: 12"))).toEqual([
      "run.yaml:8:12: error: TRL121 The rank must be a power of two, such as 8 or 16; got 12. (lora_rank)",
    ]);
  });
});

describe("credit by turn", () => {
  it("requires rewards that are summed", () => {
    const maximum = `${textWithEnvironment("reward_reduction: max")}\ncredit: reward_to_go\n`;
    expect(messagesIn(maximum)).toEqual([
      expect.stringMatching(/TRL225 `credit: reward_to_go` adds up the rewards .* not `max`/),
    ]);
    expect(messagesIn(textWith("credit: reward_to_go\ndiscount: 0.9"))).toEqual([]);
  });

  it("is required for a discount", () => {
    expect(messagesIn(textWith("discount: 0.9"))).toEqual([
      expect.stringMatching(/TRL225 `discount` has no effect/),
    ]);
  });
});

describe("a session variable without a value", () => {
  const text = (session: string, secrets = "") =>
    `${textWithEnvironment(`session_env: {${session}}`)}\n${secrets}`;

  it("is read from the secret of the same name, which must exist", () => {
    const missing = text("OPENAI_API_KEY: null");
    expect(messagesIn(missing)).toEqual([
      expect.stringMatching(/TRL224 `OPENAI_API_KEY` is null, so it needs a secret of that name/),
    ]);
    expect(messagesIn(text("OPENAI_API_KEY: null", "secrets: { OPENAI_API_KEY: null }"))).toEqual(
      [],
    );
    expect(messagesIn(text("OPENAI_BASE_URL: http://a"))).toEqual([]);
  });

  it("cannot be a key written in the file", () => {
    const written = text("OPENAI_API_KEY: sk-1", "secrets: { OPENAI_API_KEY: null }");
    expect(messagesIn(written)).toEqual([
      expect.stringMatching(/TRL224 The value of `OPENAI_API_KEY` would be stored with the run/),
    ]);
  });

  it("is advised for a key of a server or an agent", () => {
    const written = (program: string) =>
      messagesIn(textWithEnvironment(`${program}: {command: [a], env: {A_KEY: sk-1, MODE: x}}`));
    for (const program of ["server", "agent"]) {
      expect(written(program)).toContainEqual(
        expect.stringMatching(/TRL224 The value of `A_KEY` is stored with the run\. Write null/),
      );
    }
  });

  it("cannot be a redacted key", () => {
    expect(messagesIn(text("A_KEY: null", 'secrets: { A_KEY: "" }'))).toHaveLength(1);
  });
});

it("rules about training on rollouts are silent without it", () => {
  const collected = textWithEnvironment("temperature: 0.7").replace(
    "num_rollouts: 4",
    "num_rollouts: 2",
  );
  expect(messagesIn(collected)).not.toEqual([]);
  expect(messagesIn(`${collected}\nmethod: collect`)).toEqual([]);
});
