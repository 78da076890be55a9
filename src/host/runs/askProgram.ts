/** Asks the trainer's program for what would hold up the extension host: a request with keys over standard input, lines of JSON as the reply. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import type * as vscode from "vscode";
import type * as z from "zod";
import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { programEnvironment } from "./programEnvironment.ts";
import { trainerEnvironment } from "./trainerEnvironment.ts";

export interface Question<Reply> {
  readonly flag: "--preview" | "--download";
  readonly cwd: string;
  readonly request: object;
  readonly schema: z.ZodType<Reply>;
  readonly onReply: (reply: Reply) => void;
}

/** Ten characters for each of a million tokens, and their ids. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 4_000;

/** Resolves at the program's end, with false when the user ended it. @throws AppError `program-failed` when the program gives no reply */
export function askProgram<Reply>(
  programFolder: string,
  { flag, cwd, request, schema, onReply }: Question<Reply>,
  token: vscode.CancellationToken,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(programFolder, "tinker-rl.js"), flag], {
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      env: programEnvironment({ ...trainerEnvironment(), NO_COLOR: "1" }),
    });
    const cancelling = token.onCancellationRequested(() => child.kill());
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
    child.stdin.end(`${JSON.stringify(request)}\n`);
    child.once("error", reject);
    child.once("close", () => {
      cancelling.dispose();
      read(unread);
      if (token.isCancellationRequested) resolve(false);
      else if (replies > 0) resolve(true);
      else reject(new AppError("program-failed", errors.trim() || "The program gave no answer."));
    });
  });
}
