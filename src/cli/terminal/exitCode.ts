/** Exit codes, and the lines printed for errors. */

import { inspect } from "node:util";
import * as l10n from "@vscode/l10n";
import { type ErrorKind, kindOfError, parseErrorCode } from "../../core/errorCodes.ts";
import { errorMessage, isAppError } from "../../core/errors.ts";
import { oneLine } from "../../core/util/textEdges.ts";
import { visibleText } from "../../core/util/visibleText.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { RunEnd } from "../../trainer/plan/types.ts";
import { type Line, styled } from "./line.ts";

export function exitCodeOfRun({ outcome, ending }: RunEnd): number {
  return ending !== undefined && kindOfError(parseErrorCode(ending.code)) === "limit"
    ? EXIT.limit
    : EXIT[outcome];
}

export function exitCodeOf(error: unknown): number {
  if (isAppError(error, "stopped", "stop-at-step")) return EXIT.stopped;
  const kind = kindOf(error);
  if (kind === "bug") return EXIT.fault;
  const isOfConfig = isAppError(error) && error.configPath !== undefined;
  if (isOfConfig && kind !== "limit" && kind !== "interrupted") return EXIT.invalid;
  return EXIT[kind];
}

function kindOf(error: unknown): ErrorKind {
  return isAppError(error) ? kindOfError(error.code) : "bug";
}

/** V8's messages when the system or a shell limit denies it more memory. */
const OUT_OF_MEMORY =
  /WebAssembly\.\w+\(\): (?:out of memory|could not allocate memory)|Array buffer allocation failed/i;

/** One line, or the lines of an invalid configuration; with a stack trace for bugs and if `isDebug`. Out of memory is not a bug. */
export function errorLines(error: unknown, isDebug: boolean): readonly Line[] {
  const message = errorMessage(error);
  if (OUT_OF_MEMORY.test(message)) {
    // Only Linux enforces this limit.
    const hint =
      process.platform === "linux"
        ? l10n.t("Close other programs, or raise the limit of memory with `ulimit -v`.")
        : l10n.t("Close other programs.");
    return [errorLine(`${message.replace(/\.$/, "")}. ${hint}`)];
  }
  const isBug = kindOf(error) === "bug";
  const stack = isBug || isDebug ? textLines(inspect(error)) : [];
  // Configuration errors already are separate lines in the format that editors recognize.
  if (!isBug && /^\S.*: (?:error|warning): /.test(message))
    return [...textLines(message), ...stack];
  if (!isBug) return [errorLine(message), ...stack];
  return [
    errorLine(l10n.t("This is a bug in Tinker RL, not in your setup: {0}", message)),
    [l10n.t("Report it with the lines below. Saved runs can be resumed.")],
    ...stack,
  ];
}

function errorLine(message: string): Line {
  return [styled("bad", l10n.t("error:")), ` ${oneLine(message)}`];
}

function textLines(text: string): readonly Line[] {
  return visibleText(text)
    .split("\n")
    .map((row) => [row]);
}
