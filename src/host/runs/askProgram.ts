/** Asks the trainer's program for what would hold up the extension host: one request with keys, and its replies. */

import type * as vscode from "vscode";
import { AppError } from "../../core/errors.ts";
import { type StartProgramOptions, startProgram } from "./startProgram.ts";

export interface ProgramQuestion<Reply> extends StartProgramOptions<Reply> {
  readonly request: object;
}

/** Resolves at the program's end, with false when the user ended it. @throws AppError `program-failed` when the program gives no reply */
export async function askProgram<Reply>(
  programFolder: string,
  { request, ...options }: ProgramQuestion<Reply>,
  token: vscode.CancellationToken,
): Promise<boolean> {
  const program = startProgram(programFolder, options);
  const cancelling = token.onCancellationRequested(() => program.kill());
  program.send(request);
  program.endInput();
  const { replies, errors } = await program.ended.finally(() => cancelling.dispose());
  if (token.isCancellationRequested) return false;
  if (replies > 0) return true;
  throw new AppError("program-failed", errors.trim() || "The program did not answer.");
}
