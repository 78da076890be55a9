/** An agent: an external program that plays rollouts, with the policy behind an endpoint. */

import type { InitialMessage } from "../chat/renderer.ts";
import type { EnvironmentConfig } from "../config/fields/schema.ts";
import type { EndpointModel } from "../endpoint/endpointModel.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { ToolSpec } from "../openreward/types.ts";
import type { ExactJsonObject } from "../util/exactJson.ts";

export type AgentConfig = NonNullable<EnvironmentConfig["agent"]>;

/** An agent that plays an environment of a run. */
export interface Agent {
  readonly settings: AgentSettings;
  readonly run: RunAgent;
}

export interface AgentSettings {
  /** Null when only the rollout's time limit applies. */
  readonly timeoutMs: number | null;
  /** Source of the rewards: the session's tools, the last line of the agent's output, or that of another command. */
  readonly reward: "session" | "output" | "command";
}

export function agentSettings({ timeout, reward, reward_command }: AgentConfig): AgentSettings {
  return {
    timeoutMs: timeout === null ? null : timeout * 1000,
    reward: reward_command === null ? reward : "command",
  };
}

/**
 * Starts the agent's program for one rollout, with its own address and key, and resolves when it and its children have ended. Aborting
 * the signal ends it. @throws AppError `agent-not-started`; the reason of a signal that was aborted before the start
 */
export type RunAgent = (rollout: AgentRollout) => Promise<AgentEnd>;

export interface AgentRollout {
  readonly task: AgentTask;
  readonly model: EndpointModel;
  readonly tools: SessionTools;
  readonly signal: AbortSignal;
  /**
   * Grades what the agent left by calling `run`, which starts the grading program with its own time limit, if there is anything to grade.
   */
  readonly graded: (
    end: AgentEnd,
    run: (signal: AbortSignal) => Promise<AgentEnd>,
  ) => Promise<AgentEnd>;
}

/** The task for the agent. */
export interface AgentTask {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  /** As one text, with `[image 1]` for the first image. */
  readonly prompt: string;
  readonly messages: readonly InitialMessage[];
  /** Images in the messages, by id. */
  readonly images: readonly ImageFile[];
  readonly tools: readonly ToolSpec[];
}

/** Tools of the environment's session, as the agent calls them. */
export interface SessionTools {
  readonly all: readonly ToolSpec[];
  /** Calls a tool of the environment. @throws AppError `endpoint-refused` once the rollout has ended */
  call(name: string, args: ExactJsonObject): Promise<ToolReply>;
}

export interface ToolReply {
  /** Texts and images in order. */
  readonly parts: readonly (string | ImageFile)[];
  readonly isError: boolean;
}

export interface AgentEnd {
  /** Exit code, or the name of the signal that ended it; null when the rollout ended it. */
  readonly code: number | string | null;
  /** The end of its output, both streams combined. */
  readonly output: string;
  /** The line with the reward; null when rewards come from the session, or when there was none. */
  readonly rewardLine: string | null;
  /** How `reward_command` ended, and the end of its output; absent when it was not started. */
  readonly grader?: Pick<AgentEnd, "code" | "output"> | undefined;
}
