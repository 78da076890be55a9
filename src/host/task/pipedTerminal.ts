/** A terminal for a program that writes to pipes: on Windows, the editor's own program prints nothing to the terminal that it runs in. */

import { type ChildProcess, spawn } from "node:child_process";
import type * as vscode from "vscode";
import type { ProgramWords } from "../../api/environments.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import { TerminalText } from "./terminalText.ts";

const CTRL_C = "\u0003";

/**
 * The program starts with the terminal, and is killed when the terminal closes or on Ctrl+C. `onDidClose` fires with its exit code. `env`
 * overrides this process's variables.
 */
export function pipedTerminal(
  [program, ...args]: ProgramWords,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
) {
  const writes = new Emitter<string>();
  const closes = new Emitter<number>();
  let child: ChildProcess | null = null;
  const close = (): void => void child?.kill();
  return {
    onDidWrite: writes.event,
    onDidClose: closes.event,
    open: (): void => {
      const variables = { ...process.env, FORCE_COLOR: "1", ...env };
      const options = { cwd, env: variables, windowsHide: true };
      child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
      for (const stream of [child.stdout, child.stderr]) {
        const text = new TerminalText();
        stream?.setEncoding("utf8").on("data", (piece: string) => writes.fire(text.next(piece)));
      }
      child.once("error", (error) => writes.fire(`${error.message}\r\n`));
      child.once("close", (code) => closes.fire(code ?? EXIT.interrupted));
    },
    close,
    handleInput: (data: string): void => {
      if (data.includes(CTRL_C)) close();
    },
  } satisfies vscode.Pseudoterminal;
}
