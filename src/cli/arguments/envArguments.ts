/** Understands the words behind `env`. */

import { type EnvNewCommand, envNewCommand } from "./envNewArguments.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export type EnvCommand = EnvNewCommand;

/** @throws AppError `bad-arguments` */
export function envCommand(given: ParsedFlags): EnvCommand {
  const [word, ...rest] = given.positionals;
  switch (word) {
    case "new":
      return envNewCommand(given, rest);
    default:
      throw argumentError("env needs new", "env");
  }
}
