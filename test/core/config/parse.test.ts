import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { configIn, messagesIn, parse, textWith, textWithEnvironment } from "./configText.ts";

describe("the examples", () => {
  it.each(["local", "hosted", "agents"])("the %s one has no problems or warnings", (name) => {
    const path = `examples/${name}/tinker-config.yaml`;
    const result = parseConfig(readFileSync(path, "utf8"), { path });
    expect(result).toMatchObject({ ok: true, warnings: [] });
  });
});

describe("parsed values", () => {
  it("include the defaults at every level", () => {
    const config = configIn(textWith("evaluation:", "  splits: {local/calculator: [test]}"));
    expect(config).toMatchObject({ lora_rank: 32, learning_rate: 4e-5, wandb: "disabled" });
    expect(config.environments["Owner/Game"]).toMatchObject({ temperature: 1, max_turns: 50 });
    expect(config.environments["Owner/Game"]?.splits["train"]).toEqual({
      shuffle: true,
      num_samples: null,
    });
    expect(config.evaluation).toMatchObject({ temperatures: [0, 1], num_samples: 64, every: null });
  });

  it.each(["1e-5", "'1e-5'", '"1E-5"', ".00001", "+0.1e-4"])("read %s as a number", (text) => {
    expect(configIn(textWith(`learning_rate: ${text}`)).learning_rate).toBe(1e-5);
  });

  it.each(["4096", "'4096'", "4_096", "4.096e3"])("read %s as an integer", (text) => {
    expect(configIn(textWith(`save_every: ${text}`)).save_every).toBe(4096);
  });

  it("read every number the same with and without quotes", () => {
    const positive = fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(positive, (number) => {
        for (const text of [`${number}`, `"${number}"`]) {
          expect(configIn(textWith(`weight_decay: ${text}`)).weight_decay).toBe(number);
        }
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    ["yes", true],
    ["Off", false],
    ["'on'", true],
    ["False", false],
  ])("read %s as a boolean in a boolean field", (text, value) => {
    expect(configIn(textWith(`openreward_upload: ${text}`)).openreward_upload).toBe(value);
  });

  it.each(["yes", "007", "0.10", "1e5", "true", "0x1F"])(
    "keep %s as text in a text field",
    (text) => {
      expect(configIn(textWith(`wandb_run_name: ${text}`)).wandb_run_name).toBe(text);
    },
  );

  it("distinguish null from the text null in a text field", () => {
    expect(configIn(textWith("wandb_run_name: ~")).wandb_run_name).toBeNull();
    expect(configIn(textWith("wandb_run_name: 'null'")).wandb_run_name).toBe("null");
  });

  it("distinguish a null secret from an empty one", () => {
    const { secrets } = configIn(textWith("secrets: {a_key: , b_key: '', c_key: 12}"));
    expect(secrets).toEqual({ a_key: null, b_key: "", c_key: "12" });
  });

  it("read thinking the same from a boolean and from an object", () => {
    expect(configIn(textWith("thinking: on")).thinking).toEqual({
      enabled: true,
      effort: null,
      retention: "all",
    });
    expect(configIn(textWith("thinking: {effort: low}")).thinking).toMatchObject({
      enabled: true,
      effort: "low",
    });
    expect(configIn(textWith()).thinking.enabled).toBe(false);
  });

  it("follow aliases and merge keys, giving the mapping's own keys precedence", () => {
    const text = `model_name: a/b
batch_size: 1
environments:
  a/One: &one
    num_rollouts: 4
    max_turns: 7
    splits: &splits {train: {}}
  a/Two:
    <<: *one
    max_turns: 9
  a/Three: {num_rollouts: 2, splits: *splits}
`;
    const { environments } = configIn(text);
    expect(environments["a/Two"]).toMatchObject({ num_rollouts: 4, max_turns: 9 });
    expect(Object.keys(environments["a/Three"]?.splits ?? {})).toEqual(["train"]);
  });

  it("include JSON indented with tabs", () => {
    const text = `{\n\t"model_name": "a/b",\n\t"batch_size": 2,\n\t"environments": {\n\t\t"o/E": {"num_rollouts": 2, "splits": {"train": {}}}\n\t}\n}`;
    expect(parseConfig(text, { path: "run.json" })).toMatchObject({
      ok: true,
      config: { batch_size: 2 },
    });
  });

  it("limit a .json file to JSON's scalars", () => {
    const result = parseConfig('{"model_name": bare}', { path: "run.json" });
    expect(result).toMatchObject({ ok: false, problems: [{ code: "TRL100" }] });
  });
});

describe("the parser", () => {
  it.each([
    [
      "lerning_rate: 1",
      "8:1: error: TRL110 Unknown key `lerning_rate`. Did you mean `learning_rate`?",
    ],
    ["Batch-Size: 1", "8:1: error: TRL110 Unknown key `Batch-Size`. Did you mean `batch_size`?"],
    [
      "max_turns: 3",
      "8:1: error: TRL110 Unknown key `max_turns`. It belongs in `environments.Owner/Game`.",
    ],
    ["constructor: 1", "8:1: error: TRL110 Unknown key `constructor`. Remove it."],
    ["__proto__: 1", "8:1: error: TRL110 Unknown key `__proto__`. Remove it."],
    ["lora_rank: 0", "8:12: error: TRL121 Expected an integer >= 1, got 0."],
    ["max_steps: 1.5", "8:12: error: TRL121 Expected an integer >= 1 (steps), or null, got 1.5."],
    ["adam_beta1: 1", "8:13: error: TRL121 Expected a number >= 0 and < 1, got 1."],
    ["weight_decay: .nan", "8:15: error: TRL121 Expected a number >= 0, got NaN."],
    ["save_every: null", "8:13: error: TRL120 Expected an integer >= 0 (steps), got null."],
    ["sampling_seed: maybe", '8:16: error: TRL120 Expected true or false, got the text "maybe".'],
    ["learning_rate: {start: 1}", "8:16: error: TRL120 Expected a number >= 0, got a mapping."],
    ["thinking: [a]", "8:11: error: TRL120 Expected true, false or a mapping, got a list."],
    [
      "mix: weighed",
      '8:6: error: TRL122 Expected one of `proportional`, `weighted`, got the text "weighed". Did you mean `weighted`?',
    ],
    [
      "run_name: a b",
      '8:11: error: TRL120 Expected letters, digits, dots, dashes and underscores, or null, got the text "a b".',
    ],
    [
      "max_hours: 1:30",
      '8:12: error: TRL120 Expected a number > 0 (hours), or null, got the text "1:30". Base-60 numbers such as 1:30 are not supported.',
    ],
    [
      "rollout_timeout: 1:30",
      '8:18: error: TRL120 Expected a number > 0 (seconds), got the text "1:30". Base-60 numbers such as 1:30 are not supported; write 90.',
    ],
  ])("reports %s", (line, message) => {
    const key = line.slice(0, line.indexOf(":"));
    expect(messagesIn(textWith(line))).toEqual([`run.yaml:${message} (${key})`]);
  });

  it("names the intended key, and where a key of that name belongs", () => {
    expect(messagesIn(textWith("evaluation:", "  splits: {}", "  samples_per_task: 2"))).toContain(
      "run.yaml:10:3: error: TRL110 Unknown key `samples_per_task`. Did you mean `rollouts_per_task`? `samples_per_task` belongs at the top level. (evaluation.samples_per_task)",
    );
  });

  it("reports every problem at once, in text order", () => {
    const codes = (text: string) => {
      const result = parse(text);
      return result.ok ? [] : result.problems.map(({ code, path }) => [code, path.join("/")]);
    };
    expect(codes("zzz: 1\nlora_rank: x\nyyy: 2\nenvironments:\n  o/E:\n    split: {}\n")).toEqual([
      ["TRL111", "model_name"],
      ["TRL111", "batch_size"],
      ["TRL110", "zzz"],
      ["TRL120", "lora_rank"],
      ["TRL110", "yyy"],
      ["TRL111", "environments/o/E/num_rollouts"],
      ["TRL110", "environments/o/E/split"],
    ]);
  });

  it("finds the line and column of an error at any depth", () => {
    expect(messagesIn(textWithEnvironment("top_p: 2", "tempature: 1"))).toEqual([
      "run.yaml:6:12: error: TRL121 Expected a number >= 0 and <= 1, or null, got 2. (environments.Owner/Game.top_p)",
      "run.yaml:7:5: error: TRL110 Unknown key `tempature`. Did you mean `temperature`? (environments.Owner/Game.tempature)",
    ]);
    expect(
      messagesIn(textWith("evaluation:", "  splits: {a/B: [x]}", "  temperatures: [0, 3]")),
    ).toEqual([
      "run.yaml:10:21: error: TRL121 Expected a number >= 0 and <= 2, got 3. (evaluation.temperatures.1)",
    ]);
  });

  it("keeps each message on one line, whatever a key contains", () => {
    expect(messagesIn(textWith('"a\\n\\e[31mb": 1'))).toEqual([
      "run.yaml:8:1: error: TRL110 Unknown key `a\ufffd\ufffd[31mb`. Remove it. (a\ufffd\ufffd[31mb)",
    ]);
  });

  it("never shows text in place of a mapping, since it may be a secret", () => {
    expect(messagesIn(textWith("secrets: sk-12345"))).toEqual([
      "run.yaml:8:10: error: TRL120 Expected a mapping by secret, or null, got text. (secrets)",
    ]);
  });

  it.each([
    [
      "batch_size: 3",
      "8:1: error: TRL100 The key `batch_size` is already set above; keep one of the two.",
    ],
    [
      "x: *nope",
      "8:4: error: TRL100 No anchor precedes this alias. Write the value out, in quotes if it begins with `*`.",
    ],
    [
      "---\na: 1",
      "8:1: error: TRL100 A configuration is a single document; remove the `---` line and what follows.",
    ],
  ])("reports the syntax of %s", (line, message) => {
    expect(messagesIn(textWith(line))).toEqual([`run.yaml:${message}`]);
  });

  it.each([
    ["a partly typed key", "lear"],
    ["one with lines under it", "learn\n  a/B:\n\n    batch_size: 3"],
    ["one inside an environment", "environments:\n  Owner/Name:\n    spl\n    max_turns: 2"],
  ])("still reports other lines with %s, and reports nothing as missing", (_, half) => {
    const text = `group_size: 4\n${half}\nbatch_size: few`;
    expect(messagesIn(text)).toEqual([
      expect.stringContaining("run.yaml:1:1: error: TRL110 Unknown key `group_size`"),
      expect.stringContaining("error: TRL100 A key without a value: write `key: value`"),
      expect.stringContaining("error: TRL120 Expected an integer >= 1"),
    ]);
  });

  it("reports only the syntax error when the end of a value is unclear", () => {
    expect(messagesIn("a: [1\nbatch_size: few\n")).toEqual([
      expect.stringContaining("TRL100 Flow sequence"),
    ]);
  });

  it.each([
    ["secrets: { a: !s3cret-value }", "Unknown type. If the value begins with"],
    ["secrets: { a: *s3cret-value }", "No anchor precedes this alias. Write the value"],
    ["secrets: { a: |s3cret-value }", ""],
    [
      "tinker_base_url: https://ada:s3cret-value@a.example",
      "without a user name, or null, got text.",
    ],
  ])("shows no secret that cannot be read as written: %s", (line, message) => {
    const [found = "", ...more] = messagesIn(textWith(line));
    expect(found).toContain(message);
    expect([found, ...more].join()).not.toContain("s3cret");
  });

  it.each(["", "# only a comment\n"])("reports a file without settings", (text) => {
    expect(parse(text)).toMatchObject({ ok: false, problems: [{ code: "TRL111", at: null }] });
  });

  it.each(["- 1", "words"])("reports a file that is not a mapping: %s", (text) => {
    expect(messagesIn(text)[0]).toMatch(/^run\.yaml:1:1: error: TRL120 Expected a mapping, got/);
  });

  it("requires at least one environment with at least one split", () => {
    expect(messagesIn("model_name: a/b\nbatch_size: 1\nenvironments: {}")).toEqual([
      "run.yaml:3:15: error: TRL121 Expected a mapping by environment with 1 or more, got an empty mapping. (environments)",
    ]);
    const empty =
      "model_name: a/b\nbatch_size: 1\nenvironments: {a/B: {num_rollouts: 2, splits: }}";
    expect(messagesIn(empty)).toEqual([
      "run.yaml:3:39: error: TRL121 Expected a mapping by split with 1 or more, got an empty mapping. (environments.a/B.splits)",
    ]);
  });

  it("handles anchors that contain or merge themselves", () => {
    expect(parse(textWith("x: &a", "  <<: *a", "  y: *a")).ok).toBe(false);
    expect(parse(textWith("secrets: &a", "  <<: *a", "  y: *a")).ok).toBe(false);
  });
});
