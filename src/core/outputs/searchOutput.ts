/** A rollout in which something was found. */

import * as z from "zod";
import { SEARCH_ROLES, type SearchHit } from "../../shared/search.ts";
import { count, defineOutput, finite, list, measure } from "./output.ts";

export const searchOutput = defineOutput(
  { name: "found", version: 1, command: "search PATTERN --json" },
  {
    folder: z.string().describe("absolute path of the run folder"),
    source: z.enum(["training", "evaluation"]),
    step: count.describe("counted from 1; of an evaluation the completed steps"),
    group: count.describe("counted from 1"),
    rollout: count.describe("position in its group, counted from 1"),
    position: count
      .nullable()
      .describe("of an evaluation: as show --eval counts its rollouts, from 1; null: of training"),
    model: z
      .string()
      .nullable()
      .describe("in an evaluation by itself the model's name; null: the weights of the run"),
    task: z.string(),
    reward: measure.describe("null: the rollout failed"),
    stop: z.string().describe("why the rollout ended"),
    matches: count.describe("matches in the rollout, counted up to 1,000 per text"),
    places: list(
      z.object({
        role: z.enum(SEARCH_ROLES).describe("who wrote the text"),
        turn: count
          .nullable()
          .describe("counted from 1; null: before the first, or after the last"),
        before: z.string().describe("at most 60 characters, with … if shortened"),
        match: z.string(),
        after: z.string(),
      }),
    ).describe("the first in each of the first three texts that have one"),
  },
);

export function describeFound(folder: string, hit: SearchHit): ReturnType<typeof searchOutput.of> {
  const { source, step, group, rollout, position, model, taskKey } = hit;
  const { reward, stop, matches, snippets } = hit;
  return searchOutput.of({
    folder,
    source,
    stop,
    matches,
    model: model ?? null,
    task: taskKey,
    step: source === "training" ? step + 1 : step,
    group: group + 1,
    rollout: rollout + 1,
    position: position === undefined ? null : position + 1,
    reward: finite(reward),
    places: snippets.map(({ turn, ...snippet }) => ({
      ...snippet,
      turn: turn === null ? null : turn + 1,
    })),
  });
}
