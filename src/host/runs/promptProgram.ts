/** Asks the trainer's program for a prompt: it reads tokenizers, which would hold up the extension host. */

import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import type * as vscode from "vscode";
import { AppError } from "../../core/errors.ts";
import { promptReplySchema } from "../../node/control/promptMessages.ts";
import type { PromptReply, PromptRequest } from "../../shared/control.ts";
import { programEnvironment } from "./programEnvironment.ts";
import { trainerEnvironment } from "./trainerEnvironment.ts";

/** Ten characters for each of a million tokens, and their ids. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_ERROR_CHARACTERS = 4_000;

/** Null when the user ended it. @throws AppError `program-failed` when the program gives no reply */
export function askForPrompt(
  programFolder: string,
  request: PromptRequest,
  token: vscode.CancellationToken,
): Promise<PromptReply | null> {
  return new Promise((resolve, reject) => {
    const program = join(programFolder, "tinker-rl.js");
    const child = spawn(process.execPath, [program, "--preview"], {
      cwd: dirname(request.launch.training.configPath),
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
      env: programEnvironment({ ...trainerEnvironment(), NO_COLOR: "1" }),
    });
    const cancelling = token.onCancellationRequested(() => child.kill());
    let reply = "";
    let errors = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      reply += text;
      if (reply.length > MAX_CHARACTERS) child.kill();
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
      if (token.isCancellationRequested) return resolve(null);
      const parsed = readReply(reply);
      if (parsed !== null) resolve(parsed);
      else reject(new AppError("program-failed", errors.trim() || "The program gave no answer."));
    });
  });
}

function readReply(text: string): PromptReply | null {
  try {
    const value: unknown = JSON.parse(text);
    return promptReplySchema.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}
