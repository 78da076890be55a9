/** What the servers of a configuration print, as files of a run folder where there is one. */

import { dirname } from "node:path";
import { isAppError } from "../../core/errors.ts";
import { serverLogName, serverLogPath } from "../../core/runFolder/files/layout.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { withoutInfo } from "./printedError.ts";

/** Kept until the run has a folder. */
const MAX_WAITING = 256 * 1024;
/** Of one attempt; a server that prints more fills no disk. */
const MAX_WRITTEN = 16 * 1024 * 1024;
const CUT = "… (the rest of this attempt's output is left out)\n";
const FLUSH_MS = 500;

interface Log {
  waiting: string;
  written: number;
}

/** What takes whole lines, without secrets. */
interface LogFiles {
  append(path: string, text: string): Promise<unknown>;
  makeDirectory(path: string): Promise<unknown>;
}

export class ServerOutput {
  readonly #redactor: Redactor;
  readonly #logs = new Map<string, Log>();
  #place: { readonly files: LogFiles; readonly folder: string } | null = null;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes output of the server of `environment`, at any place of a line. */
  write(environment: string, text: string): void {
    const log = this.#logs.get(environment) ?? { waiting: "", written: 0 };
    this.#logs.set(environment, log);
    log.waiting += text;
    // Thousands of lines about requests that went well would push an error out.
    if (log.waiting.length > MAX_WAITING) log.waiting = withoutInfo(log.waiting);
    // From a whole line on: half of a secret would not be found.
    if (log.waiting.length > MAX_WAITING) log.waiting = afterFirstLine(log.waiting, MAX_WAITING);
    if (this.#place !== null) this.#timer ??= setTimeout(() => void this.#flush(false), FLUSH_MS);
  }

  /** What has come from the server of `environment` and is in no file. Whole lines are given once, and go to no file any more. */
  take(environment: string): string {
    const log = this.#logs.get(environment);
    if (log === undefined) return "";
    const { waiting } = log;
    // From a whole line on: half of a secret would not be found.
    log.waiting = waiting.slice(waiting.lastIndexOf("\n") + 1);
    return waiting;
  }

  /** The file of a server's output, from the run folder; null without one. */
  logOf(environment: string): string | null {
    return this.#place === null ? null : serverLogName(environment);
  }

  /** From now on output goes to the folder, what has come before included. */
  attach(files: LogFiles, folder: string): void {
    this.#place = { files, folder };
    void this.#flush(false);
  }

  /** Writes what is left. */
  close(): Promise<void> {
    return this.#flush(true);
  }

  #flush(isLast: boolean): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#writing = this.#writing.then(() => this.#writeAll(isLast));
    return this.#writing;
  }

  async #writeAll(isLast: boolean): Promise<void> {
    const place = this.#place;
    if (place === null) return;
    for (const [environment, log] of this.#logs) {
      // Whole lines only: a secret that is cut in two would not be found.
      const end = isLast ? log.waiting.length : log.waiting.lastIndexOf("\n") + 1;
      const text = this.#redactor.redact(log.waiting.slice(0, end));
      log.waiting = log.waiting.slice(end);
      if (text === "" || log.written >= MAX_WRITTEN) continue;
      log.written += text.length;
      const cut = log.written >= MAX_WRITTEN ? CUT : "";
      const path = serverLogPath(place.folder, environment);
      try {
        await place.files.makeDirectory(dirname(path));
        await place.files.append(path, text + cut);
      } catch (error) {
        // A full disk ends the run at what it cannot do without.
        if (!isAppError(error)) throw error;
      }
    }
  }
}

/** The last lines of a text, in at most `length` characters. */
function afterFirstLine(text: string, length: number): string {
  const end = text.slice(-length);
  return end.slice(end.indexOf("\n") + 1 || end.length);
}
