/** The tool for answering the single question of an episode. */

import * as z from "zod";
import type { JsonObject } from "../../core/json.ts";
import type { EnvironmentTool } from "./environment.ts";

/** Reward 1 for a correct answer. `metadata` is for logs. */
export function answerTool<State>(
  description: string,
  isRight: (answer: string, state: State) => boolean,
  metadata: (state: State) => JsonObject,
): EnvironmentTool<State> {
  return {
    description,
    input: z.object({ value: z.string() }),
    run(state, args) {
      const right = isRight(String(args["value"]), state);
      return {
        text: right ? "right" : "wrong",
        reward: right ? 1 : 0,
        finished: true,
        metadata: metadata(state),
      };
    },
  };
}
