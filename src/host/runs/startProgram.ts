/** Starts the trainer's program beside the editor: lines of JSON over standard input, and lines of JSON as replies. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import type * as z from "zod";
import { parseJson } from "../../core/util/jsonl.ts";
import { programEnvironment } from "../vscode/programEnvironment.ts";
import { trainerEnvironment } from "./trainerEnvironment.ts";

export interface StartProgramOptions<Reply> {
  readonly flag: "--preview" | "--download" | "--chat";
  readonly cwd: string;
  readonly schema: z.ZodType<Reply>;
  readonly onReply: (reply: Reply) => void;
}

export interface StartedProgram {
  send(message: object): void;
  /** A program whose input has ended tidies up and ends. */
  endInput(): void;
  kill(): void;
  /** Rejects when the program could not be started. */
  readonly ended: Promise<ProgramEnd>;
}

interface ProgramEnd {
  /** How many were understood. */
  readonly replies: number;
  /** The end of its standard error. */
  readonly errors: string;
}

/** Ten characters for each of a million tokens, and their ids. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 4_000;

export function startProgram<Reply>(
  programFolder: string,
  { flag, cwd, schema, onReply }: StartProgramOptions<Reply>,
): StartedProgram {
  const child = spawn(process.execPath, [join(programFolder, "tinker-rl.js"), flag], {
    cwd,
    stdio: ["pipe", "pipe", "pipe"],
    windowsHide: true,
    env: programEnvironment({ ...trainerEnvironment(), NO_COLOR: "1" }),
  });
  let [unread, errors, replies] = ["", "", 0];
  const read = (line: string): void => {
    const reply = schema.safeParse(parseJson(line)?.value);
    if (!reply.success) return;
    replies += 1;
    onReply(reply.data);
  };
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const lines = (unread + text).split("\n");
    unread = lines.pop() ?? "";
    lines.forEach(read);
    if (unread.length > MAX_CHARACTERS) child.kill();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    errors = (errors + text).slice(-MAX_ERROR_CHARACTERS);
  });
  // A program that ended early has closed its input.
  child.stdin.on("error", () => undefined);
  const ended = new Promise<ProgramEnd>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", () => {
      read(unread);
      resolve({ replies, errors });
    });
  });
  return {
    ended,
    send: (message) => child.stdin.write(`${JSON.stringify(message)}\n`),
    endInput: () => child.stdin.end(),
    kill: () => child.kill(),
  };
}
