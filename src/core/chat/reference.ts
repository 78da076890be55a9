/** The layout of a `system_prompt_template` with `{tools}`: one JSON line per tool, doubled braces unescaped. */

import type { Json, JsonObject } from "../json.ts";

/** A tool as an environment describes it. */
export interface ToolSpecification {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments; null for a tool without any. */
  readonly inputSchema: JsonObject | null;
}

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
  tools: readonly ToolSpecification[],
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
export function argumentsSchema({ inputSchema }: ToolSpecification): JsonObject {
  return inputSchema ?? { type: "object", properties: {} };
}

function toolLine(tool: ToolSpecification): string {
  const { name, description } = tool;
  return spacedJson({ name, arguments_schema: argumentsSchema(tool), description });
}

/** JSON on one line with a blank after each comma and colon, as models saw it in training. */
function spacedJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`,
  );
  return `{${members.join(", ")}}`;
}
