/** All commands in one table: the manifest, `docs/vscode.md` and the registration follow from it. */

import { checkpointCommands } from "./checkpointCommands.ts";
import type { CommandRow } from "./commandRow.ts";
import { configCommands } from "./configCommands.ts";
import { helpCommands } from "./helpCommands.ts";
import { runCommands } from "./runCommands.ts";
import { trainingCommands } from "./trainingCommands.ts";
import { trajectoryCommands } from "./trajectoryCommands.ts";

const ALL_ROWS = {
  ...trainingCommands,
  ...runCommands,
  ...trajectoryCommands,
  ...checkpointCommands,
  ...configCommands,
  ...helpCommands,
} as const;

/** A command that exists; VS Code knows it as `tinkerRL.<id>`. */
export type CommandId = keyof typeof ALL_ROWS;

/** The rows of the commands that exist, in the order of the table in `docs/vscode.md`. */
export const COMMANDS: ReadonlyMap<string, CommandRow> = new Map(
  Object.entries<CommandRow>(ALL_ROWS),
);

/** The id under which VS Code knows a command, also for links and buttons. */
export function commandName(id: CommandId): `tinkerRL.${CommandId}` {
  return `tinkerRL.${id}`;
}
