import { expect, it } from "vitest";
import * as z from "zod";
import { checkPlanted } from "../checkPlanted.ts";
import { sum, truthOf, verdict } from "../plantedDefects.ts";

it("takes the call that ends the episode as the right answer, not an earlier rewarded step", async () => {
  const environment = sum({
    task: (_split, index) => ({ key: `key ${index}`, a: index, b: 7, total: String(index + 7) }),
    answer: (value, task) =>
      verdict(value === truthOf(task), task, value === truthOf(task) ? 0.9 : 0),
    tools: {
      lookup: {
        description: "Look something up.",
        input: z.object({ text: z.string() }),
        run: (_state, { text }) => ({
          text: "found",
          reward: /^key \d/.test(String(text)) ? 1 : 0,
        }),
      },
    },
  });
  const { checks } = await checkPlanted({ environment }, ["right-answer"]);
  expect(checks).toMatchObject([{ measured: "ceiling: 0.9 with the task data (total)" }]);
});
