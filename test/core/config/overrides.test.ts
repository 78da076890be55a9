import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Config } from "../../../src/core/config/fields/schema.ts";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { describeProblem } from "../../../src/core/config/source/problem.ts";
import { textWith, textWithEnvironment } from "./configText.ts";

function parse(overrides: readonly string[], text = textWith()) {
  return parseConfig(text, { path: "run.yaml", overrides });
}

function configWith(overrides: readonly string[], text = textWith()): Config {
  const result = parse(overrides, text);
  if (!result.ok) throw new Error(messages(overrides, text).join("\n"));
  return result.config;
}

function messages(overrides: readonly string[], text = textWith()): readonly string[] {
  const result = parse(overrides, text);
  const problems = result.ok ? result.warnings : result.problems;
  return problems.map((problem) => describeProblem(problem, "run.yaml"));
}

describe("an override", () => {
  it("replaces a value of the file, and is read by the field's type", () => {
    const config = configWith([
      "batch_size=64",
      "learning_rate='1e-5'",
      "openreward_upload=yes",
      "wandb_run_name=007",
      "max_steps=null",
      "loss_fn_config={clip_low_threshold: 0.7}",
    ]);
    expect(config).toMatchObject({
      batch_size: 64,
      learning_rate: 1e-5,
      openreward_upload: true,
      wandb_run_name: "007",
      max_steps: null,
      loss_fn_config: { clip_low_threshold: 0.7 },
    });
  });

  it("sets an empty text when nothing follows", () => {
    expect(configWith(["wandb_run_name="]).wandb_run_name).toBe(null);
  });

  it.each(["a #b", "#x", 'say "hi" # twice'])("takes a text with a hash literally: %s", (text) => {
    expect(configWith([`wandb_run_name=${text}`]).wandb_run_name).toBe(text);
  });

  it("reaches into environments, with and without quotes around the name", () => {
    for (const name of ["Owner/Game", '"Owner/Game"', "'Owner/Game'"]) {
      const config = configWith([
        `environments.${name}.num_rollouts=8`,
        `environments.${name}.splits.train.shuffle=off`,
      ]);
      expect(config.environments["Owner/Game"]).toMatchObject({
        num_rollouts: 8,
        splits: { train: { shuffle: false, num_samples: null } },
      });
    }
  });

  it("finds a name with dots even if the shell has removed its quotes", () => {
    const text = textWith().replace("Owner/Game", "Owner/Game-1.5.x");
    for (const name of ["Owner/Game-1.5.x", '"Owner/Game-1.5.x"']) {
      const { environments } = configWith([`environments.${name}.max_turns=9`], text);
      expect(environments["Owner/Game-1.5.x"]?.max_turns).toBe(9);
    }
  });

  it("sets any quoted name to any number", () => {
    // No object has its own `__proto__` after a schema has read it.
    const name = fc.stringMatching(/^[\w ./='-]{1,20}$/).filter((key) => key !== "__proto__");
    fc.assert(
      fc.property(name, fc.integer(), (key, value) => {
        const result = parse([`secrets."${key}"=${value}`]);
        expect(result.ok && result.config.secrets?.[key]).toBe(String(value));
      }),
      { numRuns: 50 },
    );
  });

  it("turns a null or a boolean on its path into a mapping", () => {
    expect(configWith(["secrets.token=abc"], textWith("secrets:")).secrets).toEqual({
      token: "abc",
    });
    const thinking = { enabled: true, effort: "low", retention: "all" };
    expect(configWith(["thinking.effort=low"], textWith("thinking: true")).thinking).toEqual(
      thinking,
    );
  });

  it("keeps a text value that looks like a mapping", () => {
    const text = "You are: a helper [of sorts";
    expect(configWith([`system_prompt_template=${text}`]).system_prompt_template).toBe(text);
  });

  it("is superseded by a later one for the same key", () => {
    expect(configWith(["seed=1", "seed=2"]).seed).toBe(2);
  });

  it("can choose the model, whose defaults then apply", () => {
    expect(configWith(["model_name=local/tiny-tool"]).learning_rate).toBe(1e-3);
  });

  it("leaves other users of a shared alias unchanged", () => {
    const text = textWith("  Owner/Other: &other {num_rollouts: 4, splits: {train: }}").replace(
      "Owner/Game:\n    num_rollouts: 4\n    splits:\n      train:\n",
      "Owner/Game: {num_rollouts: 2, splits: {a: &s {shuffle: false}, b: *s}}\n",
    );
    const { environments } = configWith(["environments.Owner/Game.splits.a.num_samples=5"], text);
    expect(environments["Owner/Game"]?.splits["b"]).toEqual({ shuffle: false, num_samples: null });
  });
});

describe("an invalid override", () => {
  it.each([
    [
      "learning_rate=high",
      /^TRL120 Expected a number >= 0, got the text "high"\. \(learning_rate\)$/,
    ],
    ["learning_rat=1", /^TRL110 Unknown key `learning_rat`\. Did you mean `learning_rate`\?/],
    ["seed.x=1", /^TRL120 Expected an integer >= 0, got a mapping\./],
    ["environments.Owner/New.num_rollouts=4", /^TRL111 `splits` is missing\./],
    ["environments.Owner/Game.max_failing_rollouts=3", /^TRL200 At least two rollouts/],
    ["loss_fn_config={beta: 1", /^TRL100 Flow map .*\.$/],
    ["learning_rate", /^TRL100 Write it as `key=value`/],
    ["=1", /^TRL100 Write it as `key=value`/],
    ["a..b=1", /^TRL100 Write it as `key=value`/],
    ["notify.0.on=[end]", /^TRL100 `notify` is a list, which is set as a whole: `notify=\[…\]`\.$/],
    [
      "max_tokens_total=",
      /^TRL100 `max_tokens_total` has no value\. For no value at all, write `max_tokens_total=null`\.$/,
    ],
    [
      "environments.Owner/Game.num_rollouts= ",
      /^TRL100 `environments\.Owner\/Game\.num_rollouts` has/,
    ],
    ["stages.first.max_steps=1", /^TRL100 Overrides cannot set stages\. Write this under `stages`/],
  ])("is named in the message: %s", (override, message) => {
    const lines = messages([override]);
    const start = `--overrides ${override}: error: `;
    expect(lines.some((line) => line.startsWith(start))).toBe(true);
    const own = lines.find((line) => line.startsWith(start)) ?? "";
    expect(own.slice(start.length)).toMatch(message);
  });

  it("leaves errors of the file at their place", () => {
    const lines = messages(["seed=x"], textWithEnvironment("top_p: 3"));
    expect(lines.map((line) => line.split(": ")[0])).toEqual([
      "--overrides seed=x",
      "run.yaml:6:12",
    ]);
  });

  it("for an unknown environment suggests one with a similar name", () => {
    expect(messages(["environments.Owner/Gaem.num_rollouts=8"])[0]).toBe(
      "--overrides environments.Owner/Gaem.num_rollouts=8: warning: TRL300 No environment is called `Owner/Gaem`. Did you mean `Owner/Game`?",
    );
    const whole = 'environments."Owner/Games"={num_rollouts: 4, splits: {train: }}';
    expect(messages([whole])).toEqual([]);
  });

  it("warns about a value that is rarely intended", () => {
    expect(messages(["learning_rate=0"])).toEqual([
      "--overrides learning_rate=0: warning: TRL207 With a learning rate of 0 the model does not change. (learning_rate)",
    ]);
  });
});

it("overrides are shown with their paths and without secrets", () => {
  const result = parse([
    "seed=7",
    "secrets.token=hunter2",
    "secrets.odd=%hunter2",
    "environments.Owner/Game.secrets={pin: 1234, other: }",
    'environments."Owner/Game"={num_rollouts: 4, splits: {train: }, secrets: {pin: "12"}}',
  ]);
  expect(result.ok && result.overrides).toEqual([
    { text: "seed=7", path: ["seed"] },
    { text: "secrets.token=null", path: ["secrets", "token"] },
    { text: "secrets.odd=null", path: ["secrets", "odd"] },
    {
      text: "environments.Owner/Game.secrets={pin: null, other: }",
      path: ["environments", "Owner/Game", "secrets"],
    },
    {
      text: 'environments."Owner/Game"={num_rollouts: 4, splits: {train: }, secrets: {pin: null}}',
      path: ["environments", "Owner/Game"],
    },
  ]);
});
