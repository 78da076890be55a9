/** The layout of a `system_prompt_template` with `{tools}`: one JSON line per tool, doubled braces unescaped. */

import type { ToolSpec } from "../openreward/types.ts";
import { type ExactJsonObject, writeExactJson } from "../util/exactJson.ts";

/** A stretch of the system prompt; `trusted` if the config wrote it. */
export interface PromptPart {
  readonly text: string;
  readonly trusted: boolean;
}

const FIELDS = /(\{\{|\}\}|\{tools\})/;

/** Whether the template has a place for tools: `{tools}`, but not the escaped `{{tools}}`. */
export function hasToolsField(template: string): boolean {
  return template.split(FIELDS).includes("{tools}");
}

/**
 * Fills `{tools}` with one line per tool and turns `{{` with its `}}` into single braces. Other braces stay, also a
 * `}}` that nothing opened, so JSON in the template survives.
 */
export function fillToolsField(
  template: string,
  tools: readonly ToolSpec[],
): readonly PromptPart[] {
  let open = 0;
  return template.split(FIELDS).map((text) => {
    if (text === "{tools}") return { text: tools.map(toolLine).join("\n"), trusted: false };
    if (text === "{{") {
      open += 1;
      return { text: "{", trusted: true };
    }
    if (text !== "}}" || open === 0) return { text, trusted: true };
    open -= 1;
    return { text: "}", trusted: true };
  });
}

/** The schema of the arguments; a tool without one takes an empty object. */
export function argumentsSchema({ inputSchema }: ToolSpec): ExactJsonObject {
  return inputSchema ?? { type: "object", properties: {} };
}

/** JSON on one line with a blank after each comma and colon, as models saw it in training. */
function toolLine(tool: ToolSpec): string {
  const { name, description } = tool;
  return writeExactJson({ name, arguments_schema: argumentsSchema(tool), description }, "spaced");
}
