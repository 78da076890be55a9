/** The environment `manytasks` of the ORS conformance kit: more tasks than fit on a page, and one answer to each. */

import * as z from "zod";
import { defineEnvironment } from "../../src/local/environment/environment.ts";

type Task = { readonly id: string; readonly index: number };

export const manyTasks = defineEnvironment<Task, Task>({
  name: "manytasks",
  description: "Answer with seven times the index.",
  splits: { train: 1200, test: 300 },
  task: (split, index) => ({ id: `${split}-${index}`, index }),
  start: (task) => task,
  prompt: ({ id }) => `Manytasks: task ${id}.`,
  tools: {
    answer: {
      description: "Hand in the answer. Ends the episode.",
      input: z.object({ value: z.int() }),
      run: ({ index }, { value }) => {
        const reward = value === index * 7 ? 1 : 0;
        return { text: "done", reward, finished: true };
      },
    },
  },
});
