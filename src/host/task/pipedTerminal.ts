/** A terminal for a program that writes to pipes: on Windows, the editor's own program prints nothing to the terminal that it runs in. */

import { type ChildProcess, spawn } from "node:child_process";
import type * as vscode from "vscode";
import type { ProgramWords } from "../../api/environments.ts";
import { Emitter } from "../../core/util/emitter.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import { TerminalText } from "./terminalText.ts";

const CTRL_C = "\u0003";

/** The program starts with the terminal, and is killed when the terminal closes or on Ctrl+C. */
export class PipedTerminal implements vscode.Pseudoterminal {
  readonly #words: ProgramWords;
  readonly #options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv };
  readonly #writes = new Emitter<string>();
  readonly onDidWrite = this.#writes.event;
  readonly #closes = new Emitter<number>();
  /** Fires with the program's exit code. */
  readonly onDidClose = this.#closes.event;
  #child: ChildProcess | null = null;

  /** `env` overrides this process's variables. */
  constructor(words: ProgramWords, { cwd, env }: { cwd: string; env: NodeJS.ProcessEnv }) {
    this.#words = words;
    this.#options = { cwd, env: { ...process.env, FORCE_COLOR: "1", ...env } };
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
