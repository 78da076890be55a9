import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/core/config/parse.ts";
import { checkSampling } from "../../../src/core/training/checks/checkSampling.ts";
import {
  configIn,
  messagesIn,
  parse,
  textWith,
  textWithEnvironment,
} from "../../core/config/configText.ts";
import { toySampler } from "../../core/serverChecks/toyModel.ts";
import { someSettings } from "../../core/training/builders.ts";
import { aContext } from "../../core/training/fakeContext.ts";
import * as original from "./original.ts";

/** Severities and paths of what is said about a text. */
function findings(text: string): readonly string[] {
  const read = parse(text);
  const problems = read.ok ? read.warnings : read.problems;
  return problems.map(({ severity, path }) => `${severity} ${path.join(" ")}`);
}

it("a learning rate of 1e-5 is a number, with and without quotes", () => {
  expect(original.yamlScalar("1e-5")).toBe("1e-5");
  for (const text of ["1e-5", '"1e-5"']) {
    expect(configIn(textWith(`learning_rate: ${text}`)).learning_rate).toBe(0.00001);
  }
});

describe("values that were accepted", () => {
  it("a temperature of 0 causes a warning, since all rollouts of a group are equal", () => {
    expect(original.acceptsValues({ num_rollouts: 4, temperature: 0 })).toBe(true);
    const [warning] = messagesIn(textWithEnvironment("temperature: 0"));
    expect(warning).toMatch(/warning: .*temperature 0 all rollouts of a group are the same/);
  });

  it.each([
    ["temperature", 0.7],
    ["top_p", 0.9],
    ["top_k", 20],
  ])("sampling options that log-probs do not reflect cause a warning: %s %d", (key, value) => {
    expect(original.acceptsValues({ [key]: value })).toBe(true);
    const [warning] = messagesIn(textWithEnvironment(`${key}: ${value}`));
    expect(warning).toMatch(/warning: .*make up for it, so training becomes off-policy/);
  });

  it("a run finds out what its log-probs hold, and reports it", async () => {
    const context = aContext({ settings: someSettings({ temperature: 0.7 }) });
    expect(original.samplingParameters({ temperature: 0.7, top_p: null })).toEqual({
      temperature: 0.7,
      top_p: 1,
    });
    for (const reports of ["raw", "scaled"] as const) {
      expect(await checkSampling(context, toySampler({ reports }), 0)).toEqual({
        sampler: { logprob_convention: reports },
      });
      expect(context.progress.at(-1)?.kind).toBe("warning");
    }
  });

  it.each([
    ["learning_rate", -1],
    ["lora_rank", 0],
    ["lora_rank", 12],
    ["max_response_tokens", 0],
    ["rollout_timeout", 0],
    ["num_epochs", 0],
  ])("a value out of range is refused at its place: %s %d", (key, value) => {
    expect(original.acceptsValues({ [key]: value })).toBe(true);
    const text = textWith(`${key}: ${value}`);
    expect(findings(text)).toEqual([`error ${key}`]);
    expect(messagesIn(text)[0]).toMatch(/^run\.yaml:8:\d+: error: /);
  });

  it("reward bounds the wrong way round are refused", () => {
    expect(original.acceptsValues({ min_reward: 2, max_reward: 1 })).toBe(true);
    expect(findings(textWithEnvironment("min_reward: 2", "max_reward: 1"))).toEqual([
      "error environments Owner/Game min_reward",
    ]);
  });
});

describe("overrides", () => {
  const values = (overrides: readonly string[], text = textWith()) => {
    const read = parseConfig(text, { path: "run.yaml", overrides });
    if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join("\n"));
    return read.config;
  };

  it("overrides stand one beside the other, and are read by the type of their field", () => {
    expect(() => original.parseOverrides(["batch_size=64", "learning_rate=1e-5"])).toThrow(
      "unrecognized arguments",
    );
    expect(original.parseOverrides(["--batch_size=64"])).toEqual(new Map([["batch_size", "64"]]));
    expect(values(["batch_size=64", "learning_rate=1e-5"])).toMatchObject({
      batch_size: 64,
      learning_rate: 0.00001,
    });
    expect(() => values(["batch_size=-1"])).toThrow("Expected an integer >= 1");
  });

  it("overrides reach names with slashes and dots, and through a null", () => {
    const name = "Owner/Game-1.5";
    const text = textWith().replace("Owner/Game", name);
    expect(() => original.parseOverrides([`--environments.${name}.num_rollouts=8`])).toThrow();
    const overrides = [`environments."${name}".num_rollouts=8`, "secrets.token=abc"];
    const { environments, secrets } = values(overrides, `${text}secrets:\n`);
    expect([environments[name]?.num_rollouts, secrets]).toEqual([8, { token: "abc" }]);
  });
});

it("trackers are off until they are configured, and need their settings only then", () => {
  expect(original.missingKeys({})).toEqual(["OPENREWARD_API_KEY", "WANDB_API_KEY"]);
  const local = textWith().replace("Qwen/Qwen3-8B", "local/tiny-tool");
  expect(findings(local)).toEqual([]);
  expect(configIn(local)).toMatchObject({ wandb_project_name: null, openreward_run_name: null });
  expect(findings(`${local}wandb: online`)).toEqual(["error wandb"]);
});
