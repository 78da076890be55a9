/** Redacts the extension's log. */

import { inspect } from "node:util";
import type { LogOutputChannel } from "vscode";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";

/** Wraps `log` so that each entry is redacted with what `redactor` knows at that time. */
export function redactedLog(log: LogOutputChannel, redactor: Redactor): LogOutputChannel {
  const clean = (text: string): string => redactor.redact(text);
  const cleanAll = (args: readonly unknown[]): readonly unknown[] => args.map(cleanArgument);

  function cleanArgument(argument: unknown): unknown {
    if (argument instanceof Error) return redactor.redactError(argument);
    if (typeof argument === "string") return clean(argument);
    if (typeof argument !== "object" || argument === null) return argument;
    return clean(inspect(argument, { depth: 6, breakLength: Number.POSITIVE_INFINITY }));
  }

  return {
    get name() {
      return log.name;
    },
    get logLevel() {
      return log.logLevel;
    },
    onDidChangeLogLevel: log.onDidChangeLogLevel,
    trace: (message, ...args) => log.trace(clean(message), ...cleanAll(args)),
    debug: (message, ...args) => log.debug(clean(message), ...cleanAll(args)),
    info: (message, ...args) => log.info(clean(message), ...cleanAll(args)),
    warn: (message, ...args) => log.warn(clean(message), ...cleanAll(args)),
    error: (error, ...args) => {
      const cleaned = cleanArgument(error);
      log.error(cleaned instanceof Error ? cleaned : String(cleaned), ...cleanAll(args));
    },
    append: (value) => log.append(clean(value)),
    appendLine: (value) => log.appendLine(clean(value)),
    replace: (value) => log.replace(clean(value)),
    clear: () => log.clear(),
    show: (columnOrFocus?: unknown, preserveFocus?: boolean) =>
      log.show(typeof columnOrFocus === "boolean" ? columnOrFocus : preserveFocus),
    hide: () => log.hide(),
    dispose: () => log.dispose(),
  };
}
