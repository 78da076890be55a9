/** The shape of an MCP tool. */

import type * as z from "zod";
import type { Json, JsonObject } from "../../core/json.ts";

export interface McpTool {
  readonly name: string;
  /** Display name in lists of tools. */
  readonly title: string;
  /** For the model: when to call it and what it returns. */
  readonly forModel: string;
  readonly input: z.ZodObject;
  /** JSON Schema of the answer, if it consists of numbers and this program's own words; absent = text only. */
  readonly output?: JsonObject;
  /** True when it changes nothing. */
  readonly isReadOnly: boolean;
  /** Takes input validated by `input`. @throws AppError that says what to do */
  readonly call: (checked: unknown) => Promise<Json>;
}

export function mcpTool<Input extends z.ZodObject>(
  tool: Omit<McpTool, "input" | "call"> & {
    readonly input: Input;
    readonly call: (input: z.infer<Input>) => Promise<Json>;
  },
): McpTool {
  const { call } = tool;
  return { ...tool, call: (checked) => call(checked as z.infer<Input>) }; // the schema of the same tool has checked it
}
