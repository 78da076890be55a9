/** The manifest's language model tools, from the tool table and the schemas of their input. */

import * as z from "zod";
import { toolInputs } from "../../src/server/tools/toolInputs.ts";
import { TOOLS, type ToolId, type ToolRow, toolName } from "../../src/server/tools/toolTable.ts";

type Entry = Readonly<Record<string, unknown>>;

const ids = Object.keys(TOOLS) as readonly ToolId[]; // the type of the keys is that of the record
const rows = ids.map((id): { readonly id: ToolId; readonly row: ToolRow } => ({
  id,
  row: TOOLS[id],
}));

export function toolEntries(): readonly Entry[] {
  return rows.map(({ id, row }) => ({
    name: toolName(id),
    toolReferenceName: toolName(id),
    canBeReferencedInPrompt: true,
    displayName: `%${textKey(id, "title")}%`,
    userDescription: `%${textKey(id, "does")}%`,
    modelDescription: row.forModel,
    icon: `$(${row.icon})`,
    inputSchema: inputSchema(id),
  }));
}

/** Tool titles and descriptions for `package.nls.json`. */
export function toolStrings(): Readonly<Record<string, string>> {
  const texts = rows.flatMap(({ id, row }): readonly (readonly [string, string])[] => [
    [textKey(id, "title"), row.title],
    [textKey(id, "does"), row.does],
  ]);
  return Object.fromEntries(texts);
}

/** Table of tools for `docs/vscode.md`. */
export function toolReference(): string {
  const lines = rows.map(({ id, row }) => `| \`#${toolName(id)}\` | ${row.does} |`);
  return ["| Tool | What it does |", "|---|---|", ...lines].join("\n");
}

function inputSchema(id: ToolId): Entry {
  const { $schema: _, ...schema } = z.toJSONSchema(toolInputs[id], { target: "draft-7" });
  return schema;
}

function textKey(id: ToolId, part: "title" | "does"): string {
  return `tool.${id}.${part}`;
}
