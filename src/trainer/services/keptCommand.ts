/** Starts commands of the user: without a shell, with none of the keys, and never outliving this process. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { COMMAND_VARIABLES } from "../../node/commandVariables.ts";
import { formatQuantity } from "../../shared/format.ts";
import { childVariables } from "./childProcess.ts";

export interface KeptCommandOptions {
  readonly command: readonly string[];
  /** Folder that it starts in. */
  readonly cwd: string;
  /** Folder of this program's own files. */
  readonly programFolder: string;
  /** Those that it gets beside what every command needs. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of variables of this process that it also gets. */
  readonly passed?: readonly string[];
  /** It is read for as long as the command lives; otherwise that would block on a full pipe. */
  readonly onOutput: (text: string, stream: "stdout" | "stderr") => void;
}

/** The process between, as {@link ../../node/keepCommand.ts} has it: closing its standard input ends the command with its children. */
export function startKeptCommand(options: KeptCommandOptions): ChildProcess {
  const { command, cwd, programFolder, variables, passed = [], onOutput } = options;
  // Without streams, and with no event but an error, where no more files can be opened.
  const child: ChildProcess = spawn(
    process.execPath,
    [join(programFolder, "keepCommand.js"), ...command],
    {
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...childVariables([...COMMAND_VARIABLES, ...passed]),
        PYTHONUNBUFFERED: "1",
        // Before Python 3.15, Windows reads and prints in an encoding of its own.
        PYTHONUTF8: "1",
        ...variables,
      },
      // A signal to the whole group, or to the console on Windows, is for this process, which ends its commands itself. Windows
      // would also end the process between as soon as this one is killed, before it has ended the command's children.
      detached: true,
    },
  );
  child.stdin?.on("error", () => undefined);
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => onOutput(text, stream));
  }
  return child;
}

/** The end of what a command printed. */
export class OutputTail {
  readonly #length: number;
  #text = "";
  #added = 0;

  /** Keeps `length` characters. */
  constructor(length: number) {
    this.#length = length;
  }

  add(text: string): void {
    this.#added += text.length;
    this.#text = (this.#text + text).slice(-this.#length);
  }

  /**
   * Without the line that has lost its beginning, and with it what a secret is known by. A note says how much is left out, or that there is
   * only one line, which is too long.
   */
  get whole(): string {
    if (this.#added === this.#text.length) return this.#text;
    const others = this.#text.replace(/^.*\n?/, "");
    if (others.trim() === "") return `[a line longer than ${this.#length} characters]`;
    const left = formatQuantity(this.#added - others.length, "character");
    return `[${left} before this left out]\n${others}`;
  }
}
