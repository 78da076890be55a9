/** The table of all commands, from which the manifest, `docs/vscode.md` and registration are generated. */

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

/** An existing command; VS Code knows it as `tinkerRL.<id>`. */
export type CommandId = keyof typeof ALL_ROWS;

/** All command rows, in the order of the table in `docs/vscode.md`. */
export const COMMANDS: ReadonlyMap<string, CommandRow> = new Map(
  Object.entries<CommandRow>(ALL_ROWS),
);

/** The command's id in VS Code, also for links and buttons. */
export function commandName(id: CommandId): `tinkerRL.${CommandId}` {
  return `tinkerRL.${id}`;
}
