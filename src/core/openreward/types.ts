/** Owns what the rest of the program sees of an environment: connection, session, tools and outcomes. */

import type { JsonObject } from "../json.ts";
import type { ExactJsonObject } from "../util/exactJson.ts";
import type { WithTimerPaused } from "../util/withTimerPaused.ts";

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

export interface ImageBlock {
  readonly type: "image";
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

export type Block = TextBlock | ImageBlock;

/** `reasoning` and `tool_call` are in messages of the assistant, `tool_result` in those of the user. */
export type MessageBlock =
  | Block
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "tool_call";
      readonly id: string;
      readonly name: string;
      readonly input: ExactJsonObject;
    }
  | {
      readonly type: "tool_result";
      readonly callId: string;
      readonly blocks: readonly Block[];
      readonly isError: boolean;
    };

/** One turn of a conversation. */
export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly blocks: readonly MessageBlock[];
}

export interface Split {
  readonly name: string;
  readonly type: string;
}

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; null = no arguments. */
  readonly inputSchema: ExactJsonObject | null;
}

/** The tool that grades a final message: call it with `{[arg]: text}`, or `{}` when `arg` is null: `docs/protocols/openreward.md#terminal-tool`. */
export interface TerminalTool {
  readonly name: string;
  readonly arg: string | null;
  readonly description: string;
}

export interface ToolList {
  readonly tools: readonly ToolSpec[];
  readonly terminalTool: TerminalTool | null;
  readonly supportsGroupScoring: boolean;
  /** Types of the blocks that messages may hold when a group is scored. */
  readonly messageBlockTypes: readonly string[];
}

export type RejectionReason =
  | "not_found"
  | "name_collision"
  | "input_validation"
  | "episode_finished";

/** A crash of the tool is neither: it is thrown. */
export type ToolCallOutcome =
  | {
      readonly kind: "result";
      readonly blocks: readonly Block[];
      /** Null = not scored, which differs from 0. */
      readonly reward: number | null;
      readonly finished: boolean;
      /** For logs only: it may hold the answer. */
      readonly metadata: JsonObject | null;
    }
  | {
      /** The model's mistake (but `episode_finished` is the caller's); the episode continues. */
      readonly kind: "rejected";
      readonly reason: RejectionReason;
      readonly error: string;
    };

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ToolCallOptions extends CallOptions {
  /** Runs each wait for an environment that is still starting, so that the caller's clock can stand still meanwhile. */
  readonly withTimerPaused?: WithTimerPaused;
}

export interface OpenOptions extends CallOptions {
  /** Time for the server to answer, without what it needs to start the environment; absent = none but the 30 minutes. */
  readonly answerLimitMs?: number | undefined;
}

/** How an environment is asked for, beside its name. */
export interface EnvironmentOptions {
  /** Its name on its server, where it has another one. */
  readonly onServer?: string | null | undefined;
  /** Tools that the server adds to those of the environment. */
  readonly toolsetName?: string | null | undefined;
  /** Variables of the environment in its sessions; null = the secret of the same name. */
  readonly sessionEnv?: Readonly<Record<string, string | null>> | null | undefined;
}

export interface TaskChoice {
  readonly split: string;
  readonly index: number;
  /** Secrets by name, for the environment. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * One episode. Every method throws AppError `environment-session-lost`, `environment-auth`, `environment-billing`,
 * `environment-unavailable`, `environment-capacity` or `environment-protocol`, with `data.environment` and `data.sid` unless `close` cut it off.
 */
export interface EnvironmentSession {
  readonly id: string;
  /**
   * Aborted, with an AppError `environment-session-lost` as its reason, when pings show that the session no longer exists, or when it is closed.
   * A signal that is given to a method is to follow it; without one this is what ends a call.
   */
  readonly ended: AbortSignal;
  /**
   * The conversation to continue with; one message of the user where the environment has only a prompt. Fetched once, because reading
   * it may reset the episode; a second call returns the same. Waits for the set-up of the episode, as `tools` does: no clock of a
   * rollout should run then.
   */
  prompt(options?: CallOptions): Promise<readonly Message[]>;
  tools(options?: CallOptions): Promise<ToolList>;
  /** Calls may overlap; whether they run at once is the server's to say. @throws AppError `environment-tool-crashed` when the environment's own code failed. */
  callTool(
    name: string,
    input: ExactJsonObject,
    options?: ToolCallOptions,
  ): Promise<ToolCallOutcome>;
  /**
   * One score for each conversation, comparing them; what the model did after the prompt. The session stays as it is, also when it
   * fails. @throws AppError `environment-tool-crashed` when the environment's own judging failed.
   */
  scoreGroup(
    candidates: readonly (readonly Message[])[],
    options?: ToolCallOptions,
  ): Promise<readonly number[]>;
  /** Ends the episode in at most 15 s; repeats are harmless, faults are logged only. */
  close(): Promise<void>;
}

export interface RemoteEnvironment {
  readonly name: string;
  /** Origin of its server, for messages. */
  readonly address: string;
  splits(options?: CallOptions): Promise<readonly Split[]>;
  numTasks(split: string, options?: CallOptions): Promise<number>;
  /** Tools that all tasks share; a session's own list may be longer. */
  tools(options?: CallOptions): Promise<ToolList>;
  /** Data of the tasks from `start` up to `stop`, as the environment has them; null from a server that does not give them. */
  tasks(
    split: string,
    start: number,
    stop: number,
    options?: CallOptions,
  ): Promise<readonly JsonObject[] | null>;
  /** Whether the server still holds the session with this id, also after it was closed. */
  holdsSession(id: string, options?: CallOptions): Promise<boolean>;
  /** Gives back the session that the queries share; call it when start-up is over. */
  release(): Promise<void>;
  /**
   * Opens a session within 30 minutes, start of the environment included.
   * @throws AppError `environment-unavailable` when a limit is over; `environment-setting` when the server refuses one of {@link EnvironmentOptions};
   * `environment-not-found`, as the queries do, with `data.near`: names that may have been meant
   */
  openSession(task: TaskChoice, options?: OpenOptions): Promise<EnvironmentSession>;
}

export interface EnvironmentConnection {
  /**
   * `Owner/Name`, `Owner/Name:variant`, or `local/name` or a bare name for an environment of the server itself.
   */
  environment(name: string, options?: EnvironmentOptions): RemoteEnvironment;
  /** Names of the environments that the server itself has. @throws AppError `environment-*` */
  names(options?: CallOptions): Promise<readonly string[]>;
}
