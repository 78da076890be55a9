/** The log of a terminal run: silent unless TINKER_RL_DEBUG is set, because the screen shows progress. */

import { errorMessage } from "../../core/errors.ts";
import type { Log } from "../../core/ports.ts";

const isOn = (): boolean => (process.env["TINKER_RL_DEBUG"] ?? "") !== "";

export const debugLog: Log = {
  debug: (message, data) => write("debug", message, data),
  info: (message, data) => write("info", message, data),
  warn: (message, data) => write("warn", message, data),
  error: (message, data) => write("error", message, data),
};

function write(level: string, message: string, data: Readonly<Record<string, unknown>> = {}): void {
  if (!isOn()) return;
  const plain = Object.entries(data).map(([key, value]) => [
    key,
    value instanceof Error ? errorMessage(value) : value,
  ]);
  process.stderr.write(`${level}: ${message} ${JSON.stringify(Object.fromEntries(plain))}\n`);
}
