/** Fields of the agent: a program that plays an environment instead of the built-in loop. */

import { type FieldTable, OPTIONAL } from "./field.ts";

const command = {
  type: "list",
  of: { type: "string" },
  minItems: 1,
  change: "fixed",
} as const;

/** Placeholders that may appear in braces in an argument. */
export const AGENT_VALUES = ["folder", "prompt", "task_file", "base_url", "mcp_url", "model"];

/** Variables that hold the model's URL and the rollout's key. */
export const PROTOCOL_VARIABLES = {
  openai: { url: "OPENAI_BASE_URL", key: "OPENAI_API_KEY" },
  anthropic: { url: "ANTHROPIC_BASE_URL", key: "ANTHROPIC_API_KEY" },
} as const;

export const agentFields = {
  command: {
    ...command,
    examples: [["python", "agent.py"]],
    doc: "Program and arguments that play one rollout, without a shell. An argument that names a file next to the configuration becomes its full path. `{folder}` in an argument stands for the folder of the configuration; `{prompt}`, `{task_file}`, `{base_url}`, `{mcp_url}` and `{model}` stand for the variables in [Agents](agents.md).",
  },
  protocol: {
    type: "enum",
    values: ["openai", "anthropic"],
    default: "openai",
    change: "fixed",
    doc: "Which variables hold the address of the model: `OPENAI_BASE_URL` and `OPENAI_API_KEY`, or `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_KEY`. The address speaks both protocols.",
  },
  env: {
    type: "map",
    keyName: "variable",
    of: { type: "string", nullable: true },
    ...OPTIONAL,
    change: "fixed",
    doc: "Additional variables for the agent. `{folder}` in a value stands for the folder of the configuration. The value `null` looks the variable up, which keeps a secret out of this file. The agent gets none of your other keys.",
  },
  timeout: {
    type: "number",
    above: 0,
    ...OPTIONAL,
    unit: "seconds",
    change: "fixed",
    doc: "How long the agent may run in a rollout, not counting waits for services. `null` leaves it to `rollout_timeout`.",
  },
  reward: {
    type: "enum",
    values: ["session", "output"],
    default: "session",
    change: "fixed",
    doc: 'Where rewards come from. `session`: the tools of the environment, which the agent calls over MCP. `output`: the last line that the agent prints, a number or JSON such as `{"reward": 1}`.',
  },
  reward_command: {
    ...command,
    ...OPTIONAL,
    examples: [["python", "grade.py"]],
    doc: "Program that runs in the agent's folder after the agent ended with code 0 or at a limit, and prints the reward on its last line, as in `reward: output`. Replaces `reward`. It has as much time as the agent, counted separately.",
  },
} as const satisfies FieldTable;
