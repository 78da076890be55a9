/** A log that discards everything. */

import type { Log } from "../../src/core/ports.ts";

const ignore = () => undefined;

export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
