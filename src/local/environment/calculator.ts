/** `local/calculator`: one two-operand question, a tool that computes, a tool that answers. */

import * as z from "zod";
import { integerBetween } from "../random.ts";
import { defineEnvironment } from "./environment.ts";
import { drawTask } from "./taskDraw.ts";

type CalculatorTask = { readonly a: number; readonly operator: string; readonly b: number };

const OPERATORS = ["+", "-", "*"];
const EXPRESSION = /^\s*(\d{1,4})\s*([-+*])\s*(\d{1,4})\s*$/;

function compute(a: number, operator: string, b: number): number {
  if (operator === "+") return a + b;
  return operator === "-" ? a - b : a * b;
}

export const calculator = defineEnvironment<CalculatorTask, CalculatorTask>({
  name: "calculator",
  description: "Work out a sum, difference or product with a calculator, then answer.",
  splits: { train: 4096, test: 512 },
  task(split, index) {
    return drawTask(
      1,
      split,
      index,
      (uniform) => ({
        a: integerBetween(uniform, 2, 99),
        operator: OPERATORS[integerBetween(uniform, 0, 2)] ?? "+",
        b: integerBetween(uniform, 2, 99),
      }),
      (task) => task.a * 7 + task.b * 3 + OPERATORS.indexOf(task.operator),
    );
  },
  start: (task) => task,
  prompt: (task) => `What is ${task.a}${task.operator}${task.b}?`,
  tools: {
    calc: {
      description: "Compute a sum, difference or product of two whole numbers, as in 12*34.",
      input: z.object({ expr: z.string() }),
      run(_task, args) {
        const match = EXPRESSION.exec(String(args["expr"]));
        if (match === null) return { text: "not an expression" };
        return { text: String(compute(Number(match[1]), match[2] ?? "+", Number(match[3]))) };
      },
    },
    answer: {
      description: "Give the final answer. Ends the episode.",
      input: z.object({ value: z.string() }),
      run(task, args) {
        const truth = compute(task.a, task.operator, task.b);
        const right = String(args["value"]).trim() === String(truth);
        return {
          text: right ? "right" : "wrong",
          reward: right ? 1 : 0,
          finished: true,
          metadata: { truth },
        };
      },
    },
  },
});
