/** The program's exit code, and the lines that are printed about an error. */

import { inspect } from "node:util";
import * as l10n from "@vscode/l10n";
import { errorMessage, isAppError } from "../../core/errors.ts";
import { oneLine } from "../../core/util/textEdges.ts";
import { visibleText } from "../../core/util/visibleText.ts";
import { EXIT } from "../../shared/exitCodes.ts";
import type { RunEnd } from "../../trainer/types.ts";
import { type Line, styled } from "./line.ts";

/** AppErrors that only a mistake in this program can raise. */
const BUGS: ReadonlySet<string> = new Set(["invariant", "unreachable", "token-record-invalid"]);
const LIMIT = /(^|-)(capacity|budget)$|^empty-steps$/;
const SERVICE =
  /^((tinker|environment|engine|wandb|download)(-|$)|(transport|timeout|silent|http-refused|local-service)$)/;
/** Codes of errors about something that the user named. An error that names a configuration key counts as one of them. */
const INVALID =
  /^(bad-(?:arguments|expression)|environment-not-found|folder-not-empty|(config|file|run|sweep|state|checkpoint|tokenizer|chat|model|key|secret|no)-.+)$/;

export function exitCodeOfRun({ outcome, ending }: RunEnd): number {
  return ending !== undefined && LIMIT.test(ending.code) ? EXIT.limit : EXIT[outcome];
}

export function exitCodeOf(error: unknown): number {
  if (!isAppError(error) || BUGS.has(error.code)) return EXIT.fault;
  if (error.code === "interrupted") return EXIT.interrupted;
  if (LIMIT.test(error.code)) return EXIT.limit;
  if (error.configPath !== undefined || INVALID.test(error.code)) return EXIT.invalid;
  return SERVICE.test(error.code) ? EXIT.service : EXIT.fault;
}

/** One line, or the lines of an invalid configuration; with the stack when it is a bug or `isDebug`. */
export function errorLines(error: unknown, isDebug: boolean): readonly Line[] {
  const isBug = !isAppError(error) || BUGS.has(error.code);
  const stack = isBug || isDebug ? textLines(inspect(error)) : [];
  // Faults of a configuration come as lines of their own, in the form that editors look for.
  const message = errorMessage(error);
  if (!isBug && /^\S.*: error: /.test(message)) return [...textLines(message), ...stack];
  if (!isBug) return [errorLine(message), ...stack];
  return [
    errorLine(l10n.t("This is a fault of the program, not of your set-up: {0}", message)),
    [l10n.t("Report it with the lines below; runs that were saved can be resumed.")],
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
