/** Providers never throw: an editor would show that to someone who only types. */

import type * as vscode from "vscode";
import { errorMessage } from "../../core/errors.ts";

/** The result of `action`, or `fallback` when it throws; the log names the provider and not the text it failed on. */
export async function withFallback<Result>(
  log: vscode.LogOutputChannel,
  what: string,
  fallback: Result,
  action: () => Promise<Result>,
): Promise<Result> {
  try {
    return await action();
  } catch (error) {
    log.warn(`${what} of a configuration failed: ${errorMessage(error)}`);
    return fallback;
  }
}
