/** What an embedded environment is: one file that exports one `EnvironmentDefinition`. The server speaks ORS for all of them. */

import type * as z from "zod";
import type { JsonObject } from "../../core/json.ts";

/** A part of what the environment says; `detail` is for programs, the model does not see it. */
export type ContentBlock =
  | { readonly type: "text"; readonly text: string; readonly detail?: JsonObject }
  | {
      readonly type: "image";
      /** Base64. */
      readonly data: string;
      readonly mimeType: string;
      readonly detail?: JsonObject;
    };

export interface ToolResult {
  /** What the model reads. */
  readonly text: string;
  /** Sent instead of `text` when there is more than text to send. */
  readonly blocks?: readonly ContentBlock[];
  /** Null or absent = this call is not scored, which differs from 0. */
  readonly reward?: number | null;
  /** True ends the episode. */
  readonly finished?: boolean;
  /** For logs only, never shown to the model. */
  readonly metadata?: JsonObject;
}

/** A tool of an environment with state `State`; `input` is a zod object, null = no arguments. */
export interface EnvironmentTool<State> {
  readonly description: string;
  readonly input: z.ZodObject | null;
  /** `args` has passed `input`. May mutate `state`. A throw is a crash of the tool, not a mistake of the model. */
  run(state: State, args: JsonObject): ToolResult | Promise<ToolResult>;
}

export interface EnvironmentDefinition<Task extends JsonObject = JsonObject, State = unknown> {
  /** Lower-case name on the wire, `local/<name>` in a configuration. */
  readonly name: string;
  readonly description: string;
  /** Number of tasks per split; the splits share no task. */
  readonly splits: Readonly<Record<string, number>>;
  /** The same task for the same split and index, always. */
  task(split: string, index: number): Task;
  /** State of a new episode. */
  start(task: Task): State;
  /** Text of the system message; empty or absent = there is none. */
  system?(task: Task): string;
  prompt(task: Task): string;
  /** Sent instead of `prompt` when there is more than text to send. */
  promptBlocks?(task: Task): readonly ContentBlock[];
  readonly tools: Readonly<Record<string, EnvironmentTool<State>>>;
  /** The tool that takes an answer in plain text, as its argument `arg`: `docs/protocols/openreward.md#terminal-tool`. */
  readonly terminalTool?: { readonly name: string; readonly arg: string };
}

/** Types one environment and hides its task and state types from the server. */
export function defineEnvironment<Task extends JsonObject, State>(
  definition: EnvironmentDefinition<Task, State>,
): EnvironmentDefinition {
  // Sound because the server only hands back tasks and states that this very definition made.
  return definition as unknown as EnvironmentDefinition;
}
