/** `local/key-vault`: follow keys from box to box until a number turns up, then answer with it. */

import * as z from "zod";
import { integerBetween } from "../random.ts";
import { answerTool } from "./answerTool.ts";
import { defineEnvironment } from "./environment.ts";
import { taskDraw } from "./taskDraw.ts";

type VaultTask = {
  readonly start: string;
  readonly boxes: Readonly<Record<string, string>>;
  readonly truth: string;
};

const BOXES = 6;
const MAX_HOPS = 3;

function drawVault(uniform: () => number): VaultTask {
  const keys = new Set<string>();
  while (keys.size < BOXES) keys.add(`K${integerBetween(uniform, 10, 99)}`);
  const names = Array.from(keys);
  const hops = integerBetween(uniform, 1, MAX_HOPS);
  const number = (): string => String(integerBetween(uniform, 100, 999));
  const truth = number();
  const boxes: Record<string, string> = {};
  for (const [i, name] of names.entries()) {
    if (i < hops - 1) boxes[name] = names[i + 1] ?? truth;
    else if (i === hops - 1) boxes[name] = truth;
    else
      boxes[name] =
        uniform() < 0.5 ? (names[integerBetween(uniform, 0, BOXES - 1)] ?? truth) : number();
  }
  return { start: names[0] ?? "K10", boxes, truth };
}

export const keyVault = defineEnvironment<VaultTask, VaultTask>({
  name: "key-vault",
  description: "Follow keys through one to three boxes to a number, then answer with it.",
  splits: { train: 4096, test: 512 },
  task: taskDraw(3, drawVault, (task) => Number(task.truth) + Number(task.start.slice(1))),
  start: (task) => task,
  prompt: (task) => `Which number is behind ${task.start}? Follow the keys, then answer.`,
  tools: {
    lookup: {
      description: "Open the box of a key: it holds another key or a number.",
      input: z.object({ key: z.string() }),
      run(task, args) {
        const key = String(args["key"]);
        const held = Object.hasOwn(task.boxes, key) ? task.boxes[key] : undefined;
        return { text: held ?? "no such key" };
      },
    },
    answer: answerTool(
      "Give the number. Ends the episode.",
      (answer, { truth }) => answer.trim() === truth,
      ({ truth }) => ({ truth }),
    ),
  },
});
