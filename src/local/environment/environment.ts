/** Interface of embedded environments: one file exports one `EnvironmentDefinition`, and the server speaks ORS for all of them. */

import type * as z from "zod";
import type { JsonObject } from "../../core/json.ts";

/** A part of the environment's output; `detail` is for programs and not shown to the model. */
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
  /** Text for the model. */
  readonly text: string;
  /** Sent instead of `text` if there is more than text. */
  readonly blocks?: readonly ContentBlock[];
  /** Null or absent = not scored, which differs from 0. */
  readonly reward?: number | null;
  /** True = the episode ends. */
  readonly finished?: boolean;
  /** For logs only, never shown to the model. */
  readonly metadata?: JsonObject;
}

/** A tool of an environment with state `State`; `input` is a zod object, null = no arguments. */
export interface EnvironmentTool<State> {
  readonly description: string;
  readonly input: z.ZodObject | null;
  /** `args` has been validated by `input`. May mutate `state`. An exception is a crash of the tool, not a mistake of the model. */
  run(state: State, args: JsonObject): ToolResult | Promise<ToolResult>;
}

export interface EnvironmentDefinition<Task extends JsonObject = JsonObject, State = unknown> {
  /** Lower-case name in the API; `local/<name>` in a configuration. */
  readonly name: string;
  readonly description: string;
  /** Number of tasks per split; splits share no tasks. */
  readonly splits: Readonly<Record<string, number>>;
  /** Deterministic: the same split and index always give the same task. */
  task(split: string, index: number): Task;
  /** Initial state of an episode. */
  start(task: Task): State;
  /** System message; empty or absent = none. */
  system?(task: Task): string;
  prompt(task: Task): string;
  /** Sent instead of `prompt` if there is more than text. */
  promptBlocks?(task: Task): readonly ContentBlock[];
  readonly tools: Readonly<Record<string, EnvironmentTool<State>>>;
  /** The tool that receives a plain-text answer as its argument `arg`: `docs/protocols/openreward.md#terminal-tool`. */
  readonly terminalTool?: { readonly name: string; readonly arg: string };
}

/** Type-checks one environment and hides its task and state types from the server. */
export function defineEnvironment<Task extends JsonObject, State>(
  definition: EnvironmentDefinition<Task, State>,
): EnvironmentDefinition {
  // Sound, because the server only passes back tasks and states created by this definition.
  return definition as unknown as EnvironmentDefinition;
}
