/** Stores the output of configured servers in the run folder, if there is one. */

import { dirname } from "node:path";
import { isAppError } from "../../core/errors.ts";
import { serverLogName, serverLogPath } from "../../core/runFolder/files/layout.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { withoutInfo } from "./printedError.ts";

/** Size of the buffer until the run has a folder. */
const MAX_WAITING = 256 * 1024;
/** Limit per attempt, so that a chatty server does not fill the disk. */
const MAX_WRITTEN = 16 * 1024 * 1024;
const CUT = "… (the rest of this attempt's output is left out)\n";
const FLUSH_MS = 500;

interface Log {
  waiting: string;
  written: number;
}

/** Receives whole lines, without secrets. */
interface LogFiles {
  append(path: string, text: string): Promise<unknown>;
  makeDirectory(path: string): Promise<unknown>;
}

export class ServerOutput {
  readonly #redactor: Redactor;
  readonly #logs = new Map<string, Log>();
  #place: { readonly files: LogFiles; readonly folder: string | null } | null = null;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Adds output of the server of `environment`; it may start or end within a line. */
  write(environment: string, text: string): void {
    const log = this.#logs.get(environment) ?? { waiting: "", written: 0 };
    this.#logs.set(environment, log);
    log.waiting += text;
    // Drops info lines first, so that thousands of successful requests do not push out an error.
    if (log.waiting.length > MAX_WAITING) log.waiting = withoutInfo(log.waiting);
    // Starts at a whole line, because half of a secret would not be recognized.
    if (log.waiting.length > MAX_WAITING) log.waiting = afterFirstLine(log.waiting, MAX_WAITING);
    if (this.#place !== null) this.#timer ??= setTimeout(() => void this.#flush(false), FLUSH_MS);
  }

  /** Output of the server of `environment` that has not been written. Whole lines are returned once and are then not written. */
  take(environment: string): string {
    const log = this.#logs.get(environment);
    if (log === undefined) return "";
    const { waiting } = log;
    // Keeps the incomplete line, because half of a secret would not be recognized.
    log.waiting = waiting.slice(waiting.lastIndexOf("\n") + 1);
    return waiting;
  }

  /** The log file of a server, relative to the run folder; null without a folder. */
  logOf(environment: string): string | null {
    return this.#place?.folder == null ? null : serverLogName(environment);
  }

  /** Writes output to the run folder from now on, including earlier output; null = to `files` without a run folder. */
  attach(files: LogFiles, folder: string | null): void {
    this.#place = { files, folder };
    void this.#flush(false);
  }

  /** Writes the rest. */
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
      // Whole lines only, because a split secret would not be recognized.
      const end = isLast ? log.waiting.length : log.waiting.lastIndexOf("\n") + 1;
      const text = this.#redactor.redact(log.waiting.slice(0, end));
      log.waiting = log.waiting.slice(end);
      if (text === "" || log.written >= MAX_WRITTEN) continue;
      log.written += text.length;
      const cut = log.written >= MAX_WRITTEN ? CUT : "";
      const path = serverLogPath(place.folder ?? "", environment);
      try {
        await place.files.makeDirectory(dirname(path));
        await place.files.append(path, text + cut);
      } catch (error) {
        // A full disk is reported where the run cannot do without it.
        if (!isAppError(error)) throw error;
      }
    }
  }
}

/** The last whole lines of a text, at most `length` characters. */
function afterFirstLine(text: string, length: number): string {
  const end = text.slice(-length);
  return end.slice(end.indexOf("\n") + 1 || end.length);
}
