/** A player that makes random calls which fit the tools' schemas: what it earns is the floor of an environment. */

import { createUniform } from "../../shared/uniform.ts";
import { drawArguments } from "../environmentCheck/probe/jsonSchema.ts";
import { playableTools } from "../environmentCheck/probe/tools.ts";
import { randomSource, WordList } from "../environmentCheck/probe/valueSources.ts";
import type { Player } from "./player.ts";

/** The calls follow from `seed` and from what the environment says, whose words they use. */
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
