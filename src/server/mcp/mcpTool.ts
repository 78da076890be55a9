/** What a tool of the MCP server is. */

import type * as z from "zod";
import type { Json, JsonObject } from "../../core/json.ts";

export interface McpTool {
  readonly name: string;
  /** For people, in lists of tools. */
  readonly title: string;
  /** When to call it and what comes back, for the model. */
  readonly forModel: string;
  readonly input: z.ZodObject;
  /** The schema of its answer, where that is numbers and words of this program; absent = a text alone. */
  readonly output?: JsonObject;
  /** True when it changes nothing. */
  readonly isReadOnly: boolean;
  /** Gets what `input` has checked. @throws AppError with what to do */
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
