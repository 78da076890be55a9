/** A turn with a call as the format of a renderer writes one that was given: what the model was trained on. */

import type { FirstPrompt } from "./firstPrompt.ts";
import type { AssistantMessage, Renderer, ToolCall } from "./renderer.ts";

interface ExampleTurnOptions {
  readonly renderer: Renderer;
  readonly first: FirstPrompt;
  /** Ids of `first` as rendered. */
  readonly tokens: readonly number[];
  readonly call: Pick<ToolCall, "name" | "args">;
  /** What the tool answers. */
  readonly result: string;
  readonly reasoning: string | null;
}

export interface ExampleTurn {
  readonly turn: readonly number[];
  /** What follows the turn, up to where the model's next one begins. */
  readonly rest: readonly number[];
}

/** The id of the call, from which some formats take the name of the tool. */
export function exampleCallId(name: string): string {
  return `functions.${name}:0`;
}

export function exampleTurn(options: ExampleTurnOptions): ExampleTurn {
  const { renderer, first, tokens, call, result, reasoning } = options;
  const { name, args } = call;
  const callId = exampleCallId(name);
  const calls = [{ id: callId, name, args }];
  const calling: AssistantMessage = { role: "assistant", content: "", reasoning, calls };
  const answered = { role: "tool", name, callId, content: result } as const;
  const whole = renderer.renderInitial([...first.messages, calling, answered], first.tools);
  let start = 0;
  while (start < tokens.length && tokens[start] === whole[start]) start += 1;
  const found = whole.findIndex((id, at) => at >= start && renderer.stopIds.includes(id));
  const end = found === -1 ? whole.length : found + 1;
  return { turn: whole.slice(start, end), rest: whole.slice(end) };
}
