/** Questions to a user at a terminal. */

import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";
import * as l10n from "@vscode/l10n";
import { AppError } from "../../core/errors.ts";

export function isPerson(input: Readable): boolean {
  return "isTTY" in input && input.isTTY === true;
}

/** Whether the answer is yes; `usual` is the default for an empty line. @throws AppError `interrupted` on Ctrl+C or Ctrl+D */
export async function askYesNo(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  question: string,
  usual: "yes" | "no",
): Promise<boolean> {
  const reader = createInterface({ input, output });
  try {
    const answer = (await reader.question(`${question} `)).trim();
    return answer === "" ? usual === "yes" : /^y(es)?$/i.test(answer);
  } catch (error) {
    if (!(error instanceof Error && error.name === "AbortError")) throw error;
    throw new AppError("interrupted", l10n.t("The question was not answered."), { cause: error });
  } finally {
    reader.close();
  }
}
