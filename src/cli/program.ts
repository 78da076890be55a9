/** The program behind the command line: dispatches a command and turns its outcome into an exit code. */

import { isProcessAlive } from "../node/processes.ts";
import { EXIT } from "../shared/exitCodes.ts";
import type { EditorLaunch, RunEnd } from "../trainer/contract.ts";
import { type Command, parseArguments } from "./arguments.ts";
import { deleteAndTell } from "./checkpoints.ts";
import { controlRun } from "./control.ts";
import { errorLines, exitCodeOf, exitCodeOfRun } from "./exitCode.ts";
import { helpLines } from "./helpTexts.ts";
import { launched } from "./launch.ts";
import type { ProgramParts } from "./programParts.ts";
import { listedRuns } from "./runs.ts";
import { serveUntilInterrupt } from "./serve.ts";
import { showRun } from "./show.ts";
import { printAll } from "./terminal.ts";
import { followRun } from "./train.ts";
import { validate } from "./validate.ts";

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
      const { kind: _, ...request } = command;
      return exitCodeOfRun(
        await followRun(parts, (watch) =>
          trainer.startTraining({ ...request, owner: "terminal", watch }),
        ),
      );
    }
    case "resume": {
      const { kind: _, ...request } = command;
      return exitCodeOfRun(
        await followRun(parts, (watch) =>
          trainer.resumeTraining({ ...request, owner: "terminal", watch }),
        ),
      );
    }
    case "launch":
      return launched(parts, command.folder, (launch) => followLaunch(parts, launch));
    case "control":
      out.print(await controlRun({ ...parts, isProcessAlive }, command));
      return EXIT.done;
    case "validate": {
      const { isValid, lines } = await validate(parts.fileSystem, command);
      out.print(lines);
      return isValid ? EXIT.done : EXIT.invalid;
    }
    case "runs":
      out.print(await listedRuns({ ...parts, isProcessAlive }, command));
      return EXIT.done;
    case "show":
      await printAll(out, showRun(parts, command));
      return EXIT.done;
    case "checkpoints":
      await deleteAndTell(parts, command);
      return EXIT.done;
    case "serve":
      await serveUntilInterrupt(parts, command);
      return EXIT.done;
  }
}

/** Runs the training that an editor started. Its screen prints no shell commands: the editor has commands of its own. */
function followLaunch(parts: ProgramParts, launch: EditorLaunch): Promise<RunEnd> {
  const { trainer, invocation } = parts;
  const { configPath, resume, overrides } = launch.order.training;
  const inEditor = { ...parts, invocation: { ...invocation, program: null } };
  return followRun(inEditor, (watch) => {
    const request = { owner: "editor", launch, overrides, watch } as const;
    return resume === null
      ? trainer.startTraining({ ...request, configPath })
      : trainer.resumeTraining({ ...request, folder: resume });
  });
}
