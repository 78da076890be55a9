import type { CommandName } from "../arguments/flags.ts";

/** Help texts of commands, given the command that starts the program, so that their examples can be copied. */
export type HelpTexts = Readonly<Partial<Record<CommandName, (program: string) => string>>>;
