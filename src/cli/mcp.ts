/** The command `mcp`: serves an assistant, or writes the entry by which it starts this server. */

import { resolve } from "node:path";
import type { McpCommand } from "./arguments/mcpArguments.ts";
import type { ProgramOptions } from "./arguments/programOptions.ts";
import { writeMcpEntry } from "./mcpEntry.ts";

/** Serves until the assistant leaves. @throws AppError `file-unreadable` for a file that an entry cannot be added to */
export async function mcp(options: ProgramOptions, command: McpCommand): Promise<void> {
  const { invocation, out, serveMcp } = options;
  const { permission, client } = command;
  const root = resolve(invocation.cwd, command.root ?? ".");
  if (client === null) await serveMcp({ root, permission });
  else out.print(await writeMcpEntry(options, { root, permission, client }));
}
