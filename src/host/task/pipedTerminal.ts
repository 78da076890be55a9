/** A terminal of a program that prints to pipes: on Windows, the editor's own program prints nothing to a terminal that it is started in. */

import { type ChildProcess, spawn } from "node:child_process";
import type * as vscode from "vscode";
import type { ProgramWords } from "../../api/environments.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import { TerminalText } from "./terminalText.ts";

const CTRL_C = "\u0003";

/** The program begins with the terminal, and ends at once with it or by Ctrl+C. */
export class PipedTerminal implements vscode.Pseudoterminal {
  readonly #words: ProgramWords;
  readonly #options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  readonly #writes = new Emitter<string>();
  readonly #closes = new Emitter<number>();
  #child: ChildProcess | null = null;

  /** `env` stands over the variables of this process. */
  constructor(words: ProgramWords, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#words = words;
    this.#options = { cwd, env: { ...process.env, FORCE_COLOR: "1", ...env } };
  }

  get onDidWrite(): vscode.Event<string> {
    return this.#writes.event;
  }

  /** With the exit code of the program. */
  get onDidClose(): vscode.Event<number> {
    return this.#closes.event;
  }

  open(): void {
    const [program, ...args] = this.#words;
    const stdio = ["ignore", "pipe", "pipe"] as const;
    const child = spawn(program, args, { ...this.#options, stdio: [...stdio], windowsHide: true });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      const text = new TerminalText();
      stream?.setEncoding("utf8").on("data", (piece: string) => {
        this.#writes.fire(text.next(piece));
      });
    }
    child.once("error", (error) => this.#writes.fire(`${error.message}\r\n`));
    child.once("close", (code) => this.#closes.fire(code ?? EXIT.interrupted));
  }

  close(): void {
    this.#child?.kill();
  }

  handleInput(data: string): void {
    if (data.includes(CTRL_C)) this.close();
  }
}
