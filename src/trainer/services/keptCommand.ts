/** Starts the user's commands: without a shell or keys, and never outliving this process. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { COMMAND_VARIABLES } from "../../node/commandVariables.ts";
import { formatQuantity } from "../../shared/format.ts";
import { childVariables } from "./childProcess.ts";

export interface KeptCommandOptions {
  readonly command: readonly string[];
  /** Working directory. */
  readonly cwd: string;
  /** Folder of Tinker RL's own program files. */
  readonly programFolder: string;
  /** Variables in addition to what every command needs. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of this process's variables that are passed on as well. */
  readonly passed?: readonly string[];
  /** Called as long as the command runs; without reading, it would block on a full pipe. */
  readonly onOutput: (text: string, stream: "stdout" | "stderr") => void;
}

/** Starts {@link ../../node/keepCommand.ts} as a wrapper process: closing its standard input ends the command and its children. */
export function startKeptCommand(options: KeptCommandOptions): ChildProcess {
  const { command, cwd, programFolder, variables, passed = [], onOutput } = options;
  // If no more files can be opened, the child has no streams and emits nothing but an error.
  const child: ChildProcess = spawn(
    process.execPath,
    [join(programFolder, "keepCommand.js"), ...command],
    {
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      env: {
        ...childVariables([...COMMAND_VARIABLES, ...passed]),
        PYTHONUNBUFFERED: "1",
        // Before Python 3.15, Python on Windows uses a legacy encoding for input and output.
        PYTHONUTF8: "1",
        ...variables,
      },
      // Signals to the whole group, or to the console on Windows, are for this process, which ends its commands itself. Otherwise Windows
      // would also end the wrapper as soon as this process is killed, before it has ended the command's children.
      detached: true,
    },
  );
  child.stdin?.on("error", () => undefined);
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => onOutput(text, stream));
  }
  return child;
}

/** The end of a command's output. */
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
   * Omits the first line if it lost its beginning, because a secret in it might no longer be recognized. A note says how much is left
   * out, or that a single line is too long.
   */
  get whole(): string {
    if (this.#added === this.#text.length) return this.#text;
    const others = this.#text.replace(/^.*\n?/, "");
    if (others.trim() === "") return `[a line longer than ${this.#length} characters]`;
    const left = formatQuantity(this.#added - others.length, "character");
    return `[${left} before this left out]\n${others}`;
  }
}
