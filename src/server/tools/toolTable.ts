/** The read-only tools offered to a language model in the editor. */

export interface ToolRow {
  /** Display name in lists of tools. */
  readonly title: string;
  /** What it does, as a sentence for users. */
  readonly does: string;
  /** For the model: when to call it and what it returns; not translated. */
  readonly forModel: string;
  /** A codicon name. */
  readonly icon: string;
}

export const TOOLS = {
  listRuns: {
    title: "List Training Runs",
    does: "Lists the runs of this workspace: state, steps, reward, cost.",
    forModel:
      "Lists the reinforcement learning runs of Tinker RL in this workspace, newest first: name, state, completed steps, mean rewards of the last steps, tokens, cost in USD and why a run ended. Call it first: the other tools take the `run` that it names.",
    icon: "history",
  },
  readMetrics: {
    title: "Read Metrics of a Run",
    does: "Reads metrics of the steps of a run, and its evaluations.",
    forModel:
      "Reads metrics of the last steps of one run, such as rollout/reward/mean, loss, entropy or KL, with the names of all metrics that it has, and its evaluations with their 95% confidence intervals. Use it to see how the reward moved and which other number moved with it.",
    icon: "graph-line",
  },
  readRollouts: {
    title: "Read Rollouts",
    does: "Lists the rollouts of a step or evaluation, or reads one turn by turn.",
    forModel:
      "Without `group` lists the rollouts of one training step or evaluation with reward, advantage, stop reason and whether each was trained on. With `group` and `rollout` reads one turn by turn: prompt, what the model wrote, its tool calls, their results, the rewards and how the program of an agent ended. Use it to see what the model really did.",
    icon: "comment-discussion",
  },
  validateConfig: {
    title: "Validate a Configuration",
    does: "Checks a configuration of this workspace, with its unsaved changes.",
    forModel:
      "Checks a Tinker RL training configuration (YAML or JSON) of this workspace and returns each error and warning with its line, its key and what to do. Call it after you have changed a configuration. No service is contacted and nothing starts.",
    icon: "pass",
  },
  explainAlarms: {
    title: "Explain Alarms of a Run",
    does: "Shows which alarms of a run fire, what they mean and which settings to try.",
    forModel:
      "Explains the alarms of one run: which fire now, what was measured against which bound, what each means, which settings are worth trying and when they can take effect; and which alarms began and ended before. Use it to answer why the reward fell or a run does not learn.",
    icon: "bell",
  },
} as const satisfies Readonly<Record<string, ToolRow>>;

export type ToolId = keyof typeof TOOLS;

/** The id registered with VS Code, which users can reference with `#`. */
export function toolName(id: ToolId): `tinkerRL_${ToolId}` {
  return `tinkerRL_${id}`;
}
