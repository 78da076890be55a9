/** A tool's zod schema on the wire: its JSON Schema, and the check of arguments. */

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
  // Serialised once so that only JSON is left: zod hangs functions of its own on the schema.
  const plain: JsonObject = JSON.parse(JSON.stringify(schema));
  return plain;
}

/** zod bounds every integer by what a double holds exactly; a model gains nothing from reading that. */
function dropSafeIntegerBounds(schema: { minimum?: number; maximum?: number }): void {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
}

/**
 * Checks a model's arguments. The error begins with `Tool input validation error`, by which older clients know its kind.
 * A tool without arguments ignores its input.
 */
export function checkInput(tool: EnvironmentTool<unknown>, input: JsonObject): CheckedInput {
  if (tool.input === null) return { kind: "valid", args: {} };
  const parsed = tool.input.safeParse(input);
  if (parsed.success) {
    // What the schema of a tool let through came from JSON, and tools declare no transforms.
    return { kind: "valid", args: parsed.data as JsonObject };
  }
  const reasons = parsed.error.issues.map(describeIssue).join("; ");
  return { kind: "invalid", error: `Tool input validation error: ${reasons}` };
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const place = issue.path.map(String).join(".");
  return place === "" ? issue.message : `${place}: ${issue.message}`;
}
