/** Output record of a rollout with search matches. */

import * as z from "zod";
import { SEARCH_ROLES, type SearchHit } from "../../shared/search.ts";
import { count, defineOutput, finite, list, measure } from "./output.ts";

export const searchOutput = defineOutput(
  { name: "found", version: 1, command: "search PATTERN --json" },
  {
    folder: z.string().describe("absolute path of the run folder"),
    source: z.enum(["training", "evaluation"]),
    step: count.describe("from 1; for an evaluation, the number of completed steps"),
    group: count.describe("from 1"),
    rollout: count.describe("number within its group, from 1"),
    position: count
      .nullable()
      .describe("for an evaluation, its number in show --eval, from 1; null: training"),
    model: z
      .string()
      .nullable()
      .describe("the model's name in a standalone evaluation; null: the run's own weights"),
    task: z.string(),
    reward: measure.describe("null: the rollout failed"),
    stop: z.string().describe("why the rollout ended"),
    matches: count.describe("number of matches in the rollout, up to 1,000 per text"),
    places: list(
      z.object({
        role: z.enum(SEARCH_ROLES).describe("who wrote the text"),
        turn: count.nullable().describe("from 1; null: before the first turn, or after the last"),
        before: z.string().describe("at most 60 characters, with … if shortened"),
        match: z.string(),
        after: z.string(),
      }),
    ).describe("the first match in each of the first three texts with a match"),
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
