/** A tool's zod schema in the API: its JSON Schema, and the validation of arguments. */

import * as z from "zod";
import type { JsonObject } from "../../../core/json.ts";
import type { EnvironmentTool } from "../environment.ts";

export type CheckedInput =
  | { readonly kind: "valid"; readonly args: JsonObject }
  | { readonly kind: "invalid"; readonly error: string };

/** JSON Schema (draft 7, without `$schema`) of a tool's arguments; null = no arguments. */
export function inputSchema(tool: EnvironmentTool<unknown>): JsonObject | null {
  if (tool.input === null) return null;
  const { $schema: _, ...schema } = z.toJSONSchema(tool.input, {
    target: "draft-7",
    io: "input",
    override: ({ jsonSchema }) => dropSafeIntegerBounds(jsonSchema),
  });
  // Serialized once to drop everything but JSON, because zod attaches functions to the schema.
  const plain: JsonObject = JSON.parse(JSON.stringify(schema));
  return plain;
}

/** zod bounds every integer by the safe range of doubles, which is of no use to a model. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * Validates a model's arguments. The error starts with `Tool input validation error`, by which older clients recognize it.
 * A tool without arguments ignores its input.
 */
export function checkInput(tool: EnvironmentTool<unknown>, input: JsonObject): CheckedInput {
  if (tool.input === null) return { kind: "valid", args: {} };
  const parsed = tool.input.safeParse(input);
  if (parsed.success) {
    // Validated tool input came from JSON, and tools declare no transforms.
    return { kind: "valid", args: parsed.data as JsonObject };
  }
  const reasons = parsed.error.issues.map(describeIssue).join("; ");
  return { kind: "invalid", error: `Tool input validation error: ${reasons}` };
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join(".");
  return place === "" ? issue.message : `${place}: ${issue.message}`;
}
