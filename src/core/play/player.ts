/** A player in place of the model: a person, a script of calls, random calls, or a model from another service. */

import { createUniform } from "../../shared/uniform.ts";
import type { InitialMessage } from "../chat/renderer.ts";
import { drawArguments } from "../environmentCheck/probe/jsonSchema.ts";
import { playableTools } from "../environmentCheck/probe/tools.ts";
import { randomSource, WordList } from "../environmentCheck/probe/valueSources.ts";
import type { ToolList } from "../openreward/types.ts";
import type { ExactJsonObject } from "../util/exactJson.ts";

export type PlayerMove =
  | { readonly kind: "call"; readonly name: string; readonly args: ExactJsonObject }
  | { readonly kind: "text"; readonly text: string }
  /** Ends the play. */
  | { readonly kind: "leave" };

export interface PlayerView {
  /** From 0. */
  readonly turn: number;
  /** What the model would read since its last turn, with control tokens as text. */
  readonly text: string;
  /** The same as messages. */
  readonly news: readonly InitialMessage[];
  /** True if the news are a whole conversation, not what follows the player's last turn. */
  readonly isNew: boolean;
  readonly tools: ToolList;
  /** Why the last move was not possible, as a sentence; null for the first move of a turn. */
  readonly problem: string | null;
}

export interface Player {
  move(view: PlayerView, signal: AbortSignal | undefined): Promise<PlayerMove>;
}

/** Calls depend on `seed` and on the environment's texts, whose words they use. */
export function randomPlayer(seed: number): Player {
  const uniform = createUniform(seed);
  const words = new WordList();
  const source = randomSource(uniform, words);
  return {
    move: async ({ news, tools }) => {
      for (const { content } of news) words.learn(content);
      const playable = playableTools(tools);
      const tool = playable[Math.floor(uniform() * playable.length)];
      if (tool === undefined) return { kind: "text", text: words.draw(uniform) };
      return { kind: "call", name: tool.name, args: drawArguments(tool.schema, source) };
    },
  };
}
