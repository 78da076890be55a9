/** Runs a program as a task in its own terminal, without a shell. */

import * as vscode from "vscode";
import type { ProgramWords } from "../../api/environments.ts";
import { TASK_SOURCE } from "../manifest/taskType.ts";
import { pipedTerminal } from "./pipedTerminal.ts";

export interface TerminalRun {
  readonly name: string;
  readonly cwd: vscode.WorkspaceFolder;
  /** Added to the terminal's variables. */
  readonly env?: Record<string, string>;
  /** False to hide the command line, for the program's own commands. */
  readonly isEchoed?: boolean;
  /** For the editor's own program, which prints nothing to a terminal on Windows. */
  readonly isPiped?: boolean;
}

/** Resolves with the exit code; null if the program could not be started or was killed. */
export async function runInTerminal(
  [program, ...args]: ProgramWords,
  { name, cwd, env = {}, isEchoed = true, isPiped = false }: TerminalRun,
): Promise<number | null> {
  const options = { cwd: cwd.uri.fsPath, env };
  const piped = isPiped ? pipedTerminal([program, ...args], options) : null;
  const execution =
    piped === null
      ? new vscode.ProcessExecution(program, args, options)
      : new vscode.CustomExecution(async () => piped);
  const task = new vscode.Task({ type: "process" }, cwd, name, TASK_SOURCE, execution);
  task.presentationOptions = {
    reveal: vscode.TaskRevealKind.Always,
    showReuseMessage: false,
    echo: isEchoed,
  };
  const ends: vscode.Disposable[] = [];
  try {
    return await new Promise((resolve, reject) => {
      let running: vscode.TaskExecution | undefined;
      if (piped !== null) ends.push(piped.onDidClose(resolve));
      ends.push(
        vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
          if (execution === running) resolve(exitCode ?? null);
        }),
        // Covers a program that did not start, for which there is no process end event.
        vscode.tasks.onDidEndTask(({ execution }) => {
          if (execution === running) resolve(null);
        }),
      );
      vscode.tasks.executeTask(task).then((execution) => {
        running = execution;
      }, reject);
    });
  } finally {
    vscode.Disposable.from(...ends).dispose();
  }
}
