/** An environment's tools as a player sees them, including the one that grades a final message. */

import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import type { ToolList } from "../../openreward/types.ts";
import { plainJson } from "../../util/exactJson.ts";

export interface PlayableTool {
  readonly name: string;
  readonly description: string;
  /** Null for no arguments. */
  readonly schema: JsonObject | null;
}

/** The tools in order, with the terminal tool added if it is not among them. */
export function playableTools({ tools, terminalTool }: ToolList): readonly PlayableTool[] {
  const own = tools.map(({ name, description, inputSchema }): PlayableTool => {
    const schema = inputSchema === null ? null : plainJson(inputSchema);
    return { name, description, schema: isJsonObject(schema) ? schema : null };
  });
  if (terminalTool === null || own.some(({ name }) => name === terminalTool.name)) return own;
  const { name, arg, description } = terminalTool;
  const schema =
    arg === null
      ? null
      : { type: "object", properties: { [arg]: { type: "string" } }, required: [arg] };
  return [...own, { name, description, schema }];
}

/** Names of the required arguments. */
export function requiredArguments({ schema }: PlayableTool): readonly string[] {
  const names: Json = schema?.["required"] ?? [];
  return Array.isArray(names) ? names.filter((name) => typeof name === "string") : [];
}

/** Schemas of a tool's arguments by name. */
export function argumentSchemas({ schema }: PlayableTool): Readonly<Record<string, JsonObject>> {
  const properties = schema?.["properties"];
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).filter((entry): entry is [string, JsonObject] =>
      isJsonObject(entry[1]),
    ),
  );
}

/** Names of the arguments that accept any text. */
export function textArguments(tool: PlayableTool): readonly string[] {
  return Object.entries(argumentSchemas(tool))
    .filter(([, schema]) => isOpenText(schema))
    .map(([name]) => name);
}

function isOpenText(schema: JsonObject): boolean {
  if (schema["enum"] !== undefined || schema["const"] !== undefined) return false;
  if ([schema["type"]].flat().includes("string")) return true;
  const choices = schema["anyOf"];
  return (
    Array.isArray(choices) && choices.some((each: Json) => isJsonObject(each) && isOpenText(each))
  );
}
