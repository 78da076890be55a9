/** Log for server processes: JSON lines on standard error, which the parent reads. */

import type { Log } from "../../core/ports.ts";

export const stderrLog: Log = {
  debug: (message, data) => write("debug", message, data),
  info: (message, data) => write("info", message, data),
  warn: (message, data) => write("warn", message, data),
  error: (message, data) => write("error", message, data),
};

function write(level: string, message: string, data: Readonly<Record<string, unknown>> = {}): void {
  process.stderr.write(`${JSON.stringify({ level, message, ...data })}\n`);
}
