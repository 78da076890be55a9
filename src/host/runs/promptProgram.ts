/** Asks the trainer's program for a prompt: it reads tokenizers, which would hold up the extension host. */

import { dirname } from "node:path";
import type * as vscode from "vscode";
import { promptReplySchema } from "../../node/control/promptMessages.ts";
import type { PromptReply, PromptRequest } from "../../shared/control.ts";
import { askProgram } from "./askProgram.ts";

/** Null when the user ended it. @throws AppError `program-failed` when the program gives no reply */
export async function askForPrompt(
  programFolder: string,
  request: PromptRequest,
  token: vscode.CancellationToken,
): Promise<PromptReply | null> {
  let last: PromptReply | null = null;
  const question = {
    ...({ flag: "--preview", request, schema: promptReplySchema } as const),
    cwd: dirname(request.launch.training.configPath),
    onReply: (reply: PromptReply) => {
      last = reply;
    },
  };
  return (await askProgram(programFolder, question, token)) ? last : null;
}
