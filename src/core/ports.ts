/** Interfaces to the core's surroundings: `node/` implements them, and tests use fakes. */

import type { ReplyLimit } from "./replyLimits.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Limit for the whole request in milliseconds, including the body; absent = none. */
  readonly timeoutMs?: number | undefined;
  /** Limits every way of reading the answer; absent = `REPLY_LIMITS.other` with AppError `transport`. */
  readonly replyLimit?: ReplyLimit;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Case-insensitive; null if absent. */
  header(name: string): string | null;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** The body as it arrives. Leaving the loop early ends the request. Read the body only once, with one of the three methods. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Sends one request, without redirects or retries.
 * @throws AppError `transport` when no complete answer was received (refused, reset, timed out; `data.sent` is false when the
 * request cannot have reached the server). An abort through `signal` rejects with the signal's reason.
 */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Milliseconds that never jump back, for durations and limits. Excludes time during which the program was suspended, for
   * example while the computer slept.
   */
  monotonic(): number;
  /** Resolves after `ms`, including suspended time. Rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `action` when {@link monotonic} has advanced by `ms`, unless the returned function is called first. Calling it later
   * has no effect.
   */
  after(ms: number, action: () => void): () => void;
}

export interface Random {
  uuid(): string;
  /** Uniform in [0, 1). Only for jitter. Anything that affects results is derived from the run's seed. */
  uniform(): number;
}

export interface RunningHash {
  update(data: Uint8Array): void;
  /** Digest of all added data. Call only once. */
  base64(): string;
}

/** For data that is too large for memory. */
export type StartHash = (algorithm: "sha256" | "md5") => RunningHash;

/** Lower-case hex digest; of a text's UTF-8 bytes. */
export type Sha256 = (data: string | Uint8Array) => string;

export interface Log {
  debug(message: string, data?: Readonly<Record<string, unknown>>): void;
  info(message: string, data?: Readonly<Record<string, unknown>>): void;
  warn(message: string, data?: Readonly<Record<string, unknown>>): void;
  error(message: string, data?: Readonly<Record<string, unknown>>): void;
}

export interface FileSystem {
  /**
   * Reads a file of at most `maxBytes`; absent = 256 MiB.
   * @throws AppError `file-not-found` (with `data.path`), `file-too-large` or `file-unreadable`.
   */
  readText(path: string, maxBytes?: number): Promise<string>;
  /** Like {@link readText}. */
  readBytes(path: string, maxBytes?: number): Promise<Uint8Array>;
  /** Reads `length` bytes at `offset`, or fewer at the end of the file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * Appends in one write and returns the byte offset of the data. `beforeWrite` is called if the file had to be opened. If it
   * throws, the file is not changed. A file that is already open stays the same file, even if it was moved.
   * @throws AppError `disk`
   */
  append(
    path: string,
    data: string | Uint8Array,
    beforeWrite?: () => Promise<void>,
  ): Promise<number>;
  /**
   * Writes a temporary file, flushes it to disk, and renames it to `path`, or to the file behind it if it is a link. Keeps the permissions
   * of a file that it replaces. @throws AppError `disk`
   */
  writeAtomic(path: string, data: string | Uint8Array): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** Creates the directory, or fails if it exists. Runs use this to claim their folders. @throws AppError `exists` */
  claimDirectory(path: string): Promise<void>;
  /** Names in a directory, sorted; empty if it does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** Size in bytes; null if absent. */
  size(path: string): Promise<number | null>;
  /** Flushes a file to disk, then renames it, replacing any file with that name. @throws AppError `disk` */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  /** The same disk, restricted to `folder`, which need not exist. Paths are unchanged and begin with `folder`. */
  within(folder: string): FolderFiles;
}

/**
 * Files of one folder that cannot lead outside, because a folder may come from someone else. Every operation throws AppError
 * `folder-unsafe` (with `data.folder` and `data.path`) for a path outside, for a link at or below `folder`, and for anything that
 * is neither a plain file nor a directory. The path to `folder` itself may contain links, because its user created them.
 */
export interface FolderFiles extends FileSystem {
  /** Call before the first change to an existing folder. Checks the whole folder. @throws AppError `folder-unsafe` */
  requireSafe(): Promise<void>;
}
