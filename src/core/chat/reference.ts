/** The layout of a `system_prompt_template` with `{tools}`: one JSON line per tool, doubled braces unescaped. */

import type { ToolSpec } from "../openreward/types.ts";
import { type ExactJsonObject, writeExactJson } from "../util/exactJson.ts";

/** A span of the system prompt; `trusted` if it comes from the config. */
export interface PromptPart {
  readonly text: string;
  readonly trusted: boolean;
}

const FIELDS = /(\{\{|\}\}|\{tools\})/;

/** Whether the template contains `{tools}`, not counting the escaped `{{tools}}`. */
export function hasToolsField(template: string): boolean {
  return template.split(FIELDS).includes("{tools}");
}

/**
 * Fills `{tools}` with one line per tool and turns matching `{{` and `}}` into single braces. Other braces stay, including an
 * unmatched `}}`, so JSON in the template survives.
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

/** The schema of the arguments; a tool without a schema takes an empty object. */
export function argumentsSchema({ inputSchema }: ToolSpec): ExactJsonObject {
  return inputSchema ?? { type: "object", properties: {} };
}

/** JSON on one line with a space after each comma and colon, as in the models' training data. */
function toolLine(tool: ToolSpec): string {
  const { name, description } = tool;
  return writeExactJson({ name, arguments_schema: argumentsSchema(tool), description }, "spaced");
}
