import { describe, expect, it } from "vitest";
import { parseArguments } from "../../src/cli/arguments/arguments.ts";

function overridesOf(words: readonly string[]) {
  const command = parseArguments(words);
  if (command.kind !== "train" && command.kind !== "resume" && command.kind !== "validate") {
    throw new Error(`${command.kind} takes no overrides`);
  }
  return command.overrides;
}

describe("a setting whose value follows after a space", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["a number", ["--max_steps", "12"], ["max_steps=12"]],
    ["a negative number", ["--seed", "-1"], ["seed=-1"]],
    ["a negative fraction", ["--advantage_eps", "-.5e-3"], ["advantage_eps=-.5e-3"]],
    ["a boolean", ["--probe_server", "false"], ["probe_server=false"]],
    ["null", ["--max_steps", "null"], ["max_steps=null"]],
    ["a list in one word", ["--environments.a.x", "[0, 1]"], ["environments.a.x=[0, 1]"]],
    [
      "a text with spaces",
      ["--system_prompt_template", "Use {tools} = well"],
      ["system_prompt_template=Use {tools} = well"],
    ],
    ["an empty text", ["--log_path", ""], ["log_path="]],
    [
      "a key with dots and slashes",
      ["--environments.local/calculator.num_rollouts", "4"],
      ["environments.local/calculator.num_rollouts=4"],
    ],
    [
      "several",
      ["--seed", "1", "--max_steps=2", "--seed", "3"],
      ["seed=1", "max_steps=2", "seed=3"],
    ],
    [
      "one after --overrides",
      ["--overrides", "a=1", "b=2", "--seed", "3"],
      ["a=1", "b=2", "seed=3"],
    ],
  ])("is %s", (_name, words, overrides) => {
    expect(overridesOf(["train", "-c", "a.yaml", ...words])).toEqual(overrides);
    expect(overridesOf(["validate", ...words, "a.yaml"])).toEqual(overrides);
    expect(overridesOf(["resume", ...words, "runs/x"])).toEqual(overrides);
    expect(overridesOf([...words, "--config_path", "a.yaml"])).toEqual(overrides);
  });

  it("leaves the configuration after it in its place", () => {
    expect(parseArguments(["train", "--max_steps", "12", "a.yaml"])).toMatchObject({
      configPath: "a.yaml",
      overrides: ["max_steps=12"],
    });
  });

  it("may be a file where the setting is a text", () => {
    expect(parseArguments(["train", "--log_path", "logs.json", "a.yaml"])).toMatchObject({
      configPath: "a.yaml",
      overrides: ["log_path=logs.json"],
    });
  });

  it.each([
    ["at the end", ["train", "a.yaml", "--max_steps"]],
    ["before another flag", ["train", "--max_steps", "--seed=1", "a.yaml"]],
    ["before a short flag", ["train", "--max_steps", "-c", "a.yaml"]],
    ["before the configuration", ["train", "--max_steps", "a.yaml"]],
    ["before the end of the flags", ["train", "--max_steps", "--", "a.yaml"]],
  ])("is asked for where it is missing %s", (_where, words) => {
    expect(() => parseArguments(words)).toThrow(
      "--max_steps needs a value: --max_steps VALUE. `tinker-rl train --help` explains the command line.",
    );
  });

  it("is not taken for a flag that does not exist, or by a command without settings", () => {
    expect(() => parseArguments(["train", "--max_step", "12", "a.yaml"])).toThrow(
      "There is no flag --max_step. Did you mean --max_steps?",
    );
    expect(() => parseArguments(["show", "runs/x", "--seed", "1"])).toThrow("no flag --seed");
  });
});
