/** Input schemas of the tools. Input comes from a model, so it is untrusted until validated. */

import * as z from "zod";
import { AppError } from "../../core/errors.ts";
import type { ToolId } from "./toolTable.ts";

export const MAX_TEXT = 500;
const number = z.number().int().max(1e9);
export const run = z.string().max(MAX_TEXT).describe("`run` as listRuns names it");

export const toolInputs = {
  listRuns: z.object({}),
  readMetrics: z.object({
    run,
    metrics: z
      .array(z.string().max(MAX_TEXT))
      .max(20)
      .optional()
      .describe("names, or prefixes of names such as rollout/; absent: the most important ones"),
    lastSteps: number.min(1).max(200).optional().describe("how many steps, by default 20"),
  }),
  readRollouts: z.object({
    run,
    step: number.min(0).describe("counted from 1; of an evaluation the completed steps"),
    evaluation: z.boolean().optional().describe("true for those of an evaluation"),
    group: number.min(1).optional().describe("counted from 1, as the list has it"),
    rollout: number.min(1).optional().describe("position in its group, counted from 1"),
    from: number
      .min(1)
      .optional()
      .describe("with a list: its first group; with a rollout: its first turn; counted from 1"),
  }),
  validateConfig: z.object({
    path: z.string().max(MAX_TEXT).describe("of the file, relative to the workspace folder"),
  }),
  explainAlarms: z.object({ run }),
} as const satisfies Readonly<Record<ToolId, z.ZodObject>>;

export type ToolInput<Id extends ToolId> = z.infer<(typeof toolInputs)[Id]>;

/** Validates input, rejecting unknown keys. @throws AppError `tool-input` that lists all errors */
export function checkedInput<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  input: unknown,
): z.infer<z.ZodObject<Shape>> {
  const parsed = schema.strict().safeParse(input ?? {});
  if (parsed.success) return parsed.data;
  const known = Object.keys(schema.shape).join(", ");
  const problems = z.prettifyError(parsed.error);
  throw new AppError("tool-input", `The input is not valid (it has: ${known}):\n${problems}`);
}
