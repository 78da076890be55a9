/** Understands the words behind `env`. */

import { type EnvCheckCommand, envCheckCommand } from "./envCheckArguments.ts";
import { argumentError, type ParsedFlags } from "./flags.ts";

export type EnvCommand = EnvCheckCommand;

/** @throws AppError `bad-arguments` */
export function envCommand(given: ParsedFlags): EnvCommand {
  const [word, ...rest] = given.positionals;
  switch (word) {
    case "check":
      return envCheckCommand(given, rest);
    default:
      throw argumentError("env needs check", "env");
  }
}
