/** Understands the words behind `env`. */

import { type EnvCheckCommand, envCheckCommand } from "./envCheckArguments.ts";
import { type EnvNewCommand, envNewCommand } from "./envNewArguments.ts";
import { type EnvPlayCommand, envPlayCommand } from "./envPlayArguments.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export type EnvCommand = EnvNewCommand | EnvPlayCommand | EnvCheckCommand;

/** @throws AppError `bad-arguments` */
export function envCommand(given: ParsedFlags): EnvCommand {
  const [word, ...rest] = given.positionals;
  switch (word) {
    case "new":
      return envNewCommand(given, rest);
    case "play":
      return envPlayCommand(given, rest);
    case "check":
      return envCheckCommand(given, rest);
    default:
      throw argumentError("env needs new, play or check", "env");
  }
}
