/** An agent: a program outside of this one that plays rollouts, with the policy behind an endpoint. */

import type { InitialMessage } from "../chat/renderer.ts";
import type { EnvironmentConfig } from "../config/fields/schema.ts";
import type { EndpointModel } from "../endpoint/endpointModel.ts";
import type { ImageFile } from "../images/imageFile.ts";
import type { ToolSpec } from "../openreward/types.ts";
import type { ExactJsonObject } from "../util/exactJson.ts";

export type AgentConfig = NonNullable<EnvironmentConfig["agent"]>;

/** An agent that an environment of a run is played with. */
export interface Agent {
  readonly settings: AgentSettings;
  readonly run: RunAgent;
}

export interface AgentSettings {
  /** Null = the time limit of the rollout alone. */
  readonly timeoutMs: number | null;
  /** Where rewards come from: the session's tools, the last line that the agent prints, or that of another command. */
  readonly reward: "session" | "output" | "command";
}

export function agentSettings({ timeout, reward, reward_command }: AgentConfig): AgentSettings {
  return {
    timeoutMs: timeout === null ? null : timeout * 1000,
    reward: reward_command === null ? reward : "command",
  };
}

/**
 * Starts the agent's program for one rollout, with an address and a key of its own, and resolves once it has ended with its children. An
 * abort of the signal ends it. @throws AppError `agent-not-started`; the reason of a signal that was aborted before the start
 */
export type RunAgent = (rollout: AgentRollout) => Promise<AgentEnd>;

export interface AgentRollout {
  readonly task: AgentTask;
  readonly model: EndpointModel;
  readonly tools: SessionTools;
  readonly signal: AbortSignal;
  /** Has `run` start the program that grades what the agent left, within its own time, unless there is nothing to grade. */
  readonly graded: (
    end: AgentEnd,
    run: (signal: AbortSignal) => Promise<AgentEnd>,
  ) => Promise<AgentEnd>;
}

/** What the agent is asked to do. */
export interface AgentTask {
  readonly environment: string;
  readonly split: string;
  readonly index: number;
  /** As one text, in which `[image 1]` stands for the first image. */
  readonly prompt: string;
  readonly messages: readonly InitialMessage[];
  /** Those in the messages, by their ids there. */
  readonly images: readonly ImageFile[];
  readonly tools: readonly ToolSpec[];
}

/** Tools of the environment's session, as the agent calls them. */
export interface SessionTools {
  readonly all: readonly ToolSpec[];
  /** What the environment answers. @throws AppError `endpoint-refused` once the rollout has ended */
  call(name: string, args: ExactJsonObject): Promise<ToolReply>;
}

export interface ToolReply {
  /** Texts and images, in their order. */
  readonly parts: readonly (string | ImageFile)[];
  readonly isError: boolean;
}

export interface AgentEnd {
  /** Exit code; the name of the signal that ended it; null where the rollout ended it. */
  readonly code: number | string | null;
  /** The end of what it printed, on both streams. */
  readonly output: string;
  /** The line with the reward; null where rewards come from the session, or there was none. */
  readonly rewardLine: string | null;
  /** How `reward_command` ended, and the end of what it printed; absent where it was not started. */
  readonly grader?: Pick<AgentEnd, "code" | "output"> | undefined;
}
