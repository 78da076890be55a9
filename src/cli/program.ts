/** The program behind the command line: dispatches a command and turns its outcome into an exit code. */

import { type Command, parseArguments } from "./arguments.ts";
import { EXIT, errorLines, exitCodeOf, exitCodeOfRun } from "./exitCode.ts";
import { helpLines } from "./helpTexts.ts";
import type { ProgramParts } from "./programParts.ts";
import { serveUntilInterrupt } from "./serve.ts";
import { showRun } from "./show.ts";
import { printAll } from "./terminal.ts";
import { followRun } from "./train.ts";

/** Runs the command in `args` and resolves with the exit code; errors are printed, never thrown. */
export async function runProgram(parts: ProgramParts, args: readonly string[]): Promise<number> {
  try {
    return await dispatch(parts, parseArguments(args));
  } catch (error) {
    parts.err.print(errorLines(error, parts.isDebug));
    return exitCodeOf(error);
  }
}

async function dispatch(parts: ProgramParts, command: Command): Promise<number> {
  const { out, trainer } = parts;
  switch (command.kind) {
    case "help":
      out.print(helpLines(command.topic, parts.invocation));
      return EXIT.done;
    case "version":
      out.print([[parts.version]]);
      return EXIT.done;
    case "train": {
      const { configPath } = command;
      const end = await followRun(parts, (watch) =>
        trainer.startTraining({ configPath, owner: "terminal", watch }),
      );
      return exitCodeOfRun(end);
    }
    case "resume": {
      const { folder } = command;
      const end = await followRun(parts, (watch) =>
        trainer.resumeTraining({ folder, owner: "terminal", watch }),
      );
      return exitCodeOfRun(end);
    }
    case "show":
      await printAll(out, showRun(parts, command));
      return EXIT.done;
    case "serve":
      await serveUntilInterrupt(parts, command);
      return EXIT.done;
  }
}
