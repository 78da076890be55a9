import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../../src/core/config/parse.ts";

/** The codes and locations of findings in a configuration with an agent. */
function found(agent: string, more = ""): readonly string[] {
  const text = [
    "model_name: local/tiny-tool",
    "batch_size: 2",
    "max_steps: 2",
    "environments:",
    "  local/calculator:",
    `    agent: ${agent}`,
    "    splits: {train: {}}",
    "    num_rollouts: 4",
    more,
  ].join("\n");
  const parsed = parseConfig(`${text}\n`, { path: "c.yaml", overrides: [] });
  const problems = parsed.ok ? parsed.warnings : parsed.problems;
  return problems
    .filter(({ code }) => code.startsWith("TRL23") || code.startsWith("TRL1"))
    .map(({ severity, code, path }) => `${severity} ${code} ${path.join(".")}`);
}

describe("an agent", () => {
  it("requires only a command", () => {
    expect(found("{ command: [python, agent.py] }")).toEqual([]);
    expect(found("{ protocol: anthropic }")).toEqual([
      "error TRL111 environments.local/calculator.agent.command",
    ]);
  });

  it("cannot have a separate teacher context, because it writes its own prompts", () => {
    const teacher = "teacher: { model: local/tiny-tool, context: Be brief. }";
    expect(found("{ command: [a] }", teacher)).toEqual(["error TRL231 teacher.context"]);
    expect(found("{ command: [a] }", `    ${teacher}`)).toEqual([
      "error TRL231 environments.local/calculator.teacher.context",
    ]);
  });

  it("reports a misspelled placeholder in an argument, but not other words in braces", () => {
    const place = "environments.local/calculator.agent";
    expect(found('{ command: [a, "--ask={prmpt}", "{model}", "{x}"] }')).toEqual([
      `warning TRL231 ${place}.command.1`,
    ]);
    expect(found('{ command: [a], reward_command: [b, "{taskfile}"] }')).toEqual([
      `warning TRL231 ${place}.reward_command.1`,
    ]);
  });

  it("has a single source of reward", () => {
    expect(found("{ command: [a], reward: output, reward_command: [b] }")).toEqual([
      "warning TRL231 environments.local/calculator.agent.reward",
    ]);
  });

  it("cannot set variables that the trainer sets, but can set those of another protocol", () => {
    const place = "environments.local/calculator.agent.env";
    const env = "{ OPENAI_API_KEY: null, TINKER_RL_MODEL: m, ANTHROPIC_API_KEY: null, SEED: '1' }";
    expect(found(`{ command: [a], env: ${env} }`)).toEqual([
      `error TRL232 ${place}.OPENAI_API_KEY`,
      `error TRL232 ${place}.TINKER_RL_MODEL`,
    ]);
    expect(found(`{ command: [a], protocol: anthropic, env: ${env} }`)).toEqual([
      `error TRL232 ${place}.TINKER_RL_MODEL`,
      `error TRL232 ${place}.ANTHROPIC_API_KEY`,
    ]);
  });
});
