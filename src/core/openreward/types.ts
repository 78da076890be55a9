/** What the rest of the program sees of an environment: connection, session, tools and outcomes. */

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

/** `reasoning` and `tool_call` occur in assistant messages, `tool_result` in user messages. */
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
  /** JSON Schema of the arguments; null for no arguments. */
  readonly inputSchema: ExactJsonObject | null;
}

/**
 * The tool that grades a final message: call it with `{[arg]: text}`, or `{}` if `arg` is null:
 * `docs/protocols/openreward.md#terminal-tool`.
 */
export interface TerminalTool {
  readonly name: string;
  readonly arg: string | null;
  readonly description: string;
}

export interface ToolList {
  readonly tools: readonly ToolSpec[];
  readonly terminalTool: TerminalTool | null;
  readonly supportsGroupScoring: boolean;
  /** Block types that messages may contain when a group is scored. */
  readonly messageBlockTypes: readonly string[];
}

export type RejectionReason =
  | "not_found"
  | "name_collision"
  | "input_validation"
  | "episode_finished";

/** A crash of the tool is neither; it is thrown. */
export type ToolCallOutcome =
  | {
      readonly kind: "result";
      readonly blocks: readonly Block[];
      /** Null means not scored, which differs from 0. */
      readonly reward: number | null;
      readonly finished: boolean;
      /** For logs only, since it may contain the answer. */
      readonly metadata: JsonObject | null;
    }
  | {
      /** The model's mistake, except that `episode_finished` is the caller's; the episode continues. */
      readonly kind: "rejected";
      readonly reason: RejectionReason;
      readonly error: string;
    };

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface ToolCallOptions extends CallOptions {
  /** Wraps each wait for an environment that is still starting, so that the caller can pause its timer. */
  readonly withTimerPaused?: WithTimerPaused;
}

export interface OpenOptions extends CallOptions {
  /** Time for the server to respond, not counting the environment's startup; by default only the 30-minute limit applies. */
  readonly answerLimitMs?: number | undefined;
}

/** Options of an environment besides its name. */
export interface EnvironmentOptions {
  /** Its name on its server, if different. */
  readonly onServer?: string | null | undefined;
  /** Tools that the server adds to the environment's own. */
  readonly toolsetName?: string | null | undefined;
  /** Environment variables for its sessions; null means the secret of the same name. */
  readonly sessionEnv?: Readonly<Record<string, string | null>> | null | undefined;
}

export interface TaskChoice {
  readonly split: string;
  readonly index: number;
  /** Secrets for the environment, by name. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * One episode. Every method throws AppError `environment-session-lost`, `environment-auth`, `environment-billing`,
 * `environment-unavailable`, `environment-capacity` or `environment-protocol`, with `data.environment` and `data.sid` unless `close` cut
 * it off.
 */
export interface EnvironmentSession {
  readonly id: string;
  /**
   * Aborted, with AppError `environment-session-lost` as its reason, when pings show that the session is gone or when it is closed.
   * Signals passed to methods should derive from it; without one, it ends calls.
   */
  readonly ended: AbortSignal;
  /**
   * The conversation to continue; a single user message if the environment only has a prompt. Fetched once, because reading it may reset
   * the episode; later calls return the same. Waits for the episode's setup, as `tools` does, so pause the rollout's timer meanwhile.
   */
  prompt(options?: CallOptions): Promise<readonly Message[]>;
  tools(options?: CallOptions): Promise<ToolList>;
  /**
   * Calls may overlap; the server decides whether they run concurrently. @throws AppError `environment-tool-crashed` when the
   * environment's own code failed
   */
  callTool(
    name: string,
    input: ExactJsonObject,
    options?: ToolCallOptions,
  ): Promise<ToolCallOutcome>;
  /**
   * One score per conversation, by comparison; each has what the model did after the prompt. The session is not changed, even on failure.
   * @throws AppError `environment-tool-crashed` when the environment's own scoring failed
   */
  scoreGroup(
    candidates: readonly (readonly Message[])[],
    options?: ToolCallOptions,
  ): Promise<readonly number[]>;
  /** Ends the episode within 15 s. Safe to call again; errors are only logged. */
  close(): Promise<void>;
}

export interface RemoteEnvironment {
  readonly name: string;
  /** Origin of its server, for messages. */
  readonly address: string;
  splits(options?: CallOptions): Promise<readonly Split[]>;
  numTasks(split: string, options?: CallOptions): Promise<number>;
  /** Tools shared by all tasks; a session's list may be longer. */
  tools(options?: CallOptions): Promise<ToolList>;
  /** Task data from `start` to `stop` as the environment has it; null if the server does not provide it. */
  tasks(
    split: string,
    start: number,
    stop: number,
    options?: CallOptions,
  ): Promise<readonly JsonObject[] | null>;
  /** Whether the server still has the session with this id, even after it was closed. */
  holdsSession(id: string, options?: CallOptions): Promise<boolean>;
  /** Frees the session that queries share; call when startup is done. */
  release(): Promise<void>;
  /**
   * Opens a session within 30 minutes, including the environment's startup.
   * @throws AppError `environment-unavailable` on a timeout; `environment-setting` when the server refuses one of {@link
   * EnvironmentOptions}; `environment-not-found`, like the queries, with similar names in `data.near`
   */
  openSession(task: TaskChoice, options?: OpenOptions): Promise<EnvironmentSession>;
}

export interface EnvironmentConnection {
  /** `Owner/Name`, `Owner/Name:variant`, or for an environment of the server itself `local/name` or a plain name. */
  environment(name: string, options?: EnvironmentOptions): RemoteEnvironment;
  /** Names of the server's own environments. @throws AppError `environment-*` */
  names(options?: CallOptions): Promise<readonly string[]>;
}
