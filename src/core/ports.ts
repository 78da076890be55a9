/** What the core needs from its surroundings. Interfaces only: `node/` implements them, tests fake them. */

import type { ReplyLimit } from "./replyLimits.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** Whole-request limit in milliseconds, until the body is read; absent = none. */
  readonly timeoutMs?: number | undefined;
  /** Bounds every way of reading the answer; absent = `REPLY_LIMITS.other`, and AppError `transport` beyond it. */
  readonly replyLimit?: ReplyLimit;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  /** Case-insensitive; null when absent. */
  header(name: string): string | null;
  bytes(): Promise<Uint8Array>;
  text(): Promise<string>;
  /** The body as it arrives; leaving it early ends the request. Consume the body once, by one of the three ways. */
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Sends one request, follows no redirect, retries nothing.
 * @throws AppError `transport` when no complete answer came (refused, reset, timed out; `data.sent` is false when the
 * request cannot have reached the server). An abort through `signal` rejects with the signal's reason.
 */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpResponse>;
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /**
   * Milliseconds that never jump back, for durations and limits. Standstills of the program, as on a computer that slept, are left
   * out.
   */
  monotonic(): number;
  /** Resolves after `ms`, standstills included; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `action` when {@link monotonic} has continued by `ms`, unless the returned function is called before; calling that later
   * does no harm.
   */
  after(ms: number, action: () => void): () => void;
}

export interface Random {
  uuid(): string;
  /** Uniform in [0, 1). Only for jitter: what decides a result is derived from the run's seed. */
  uniform(): number;
}

export interface RunningHash {
  update(data: Uint8Array): void;
  /** Digest of all that was added; call it once. */
  base64(): string;
}

/** For what is too long to hold at once. */
export type StartHash = (algorithm: "sha256" | "md5") => RunningHash;

/** Lower-case hex digest; of a text that of its UTF-8 bytes. */
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
  /** As {@link readText}. */
  readBytes(path: string, maxBytes?: number): Promise<Uint8Array>;
  /** Reads `length` bytes at `offset`; shorter at the end of the file. */
  readRange(path: string, offset: number, length: number): Promise<Uint8Array>;
  /**
   * Appends in one write and returns the byte offset at which the data begins. `beforeWrite` is called when the file had to be opened,
   * and what it throws leaves the file as it is: a file that is open already is the same one, wherever it was moved to.
   * @throws AppError `disk`
   */
  append(
    path: string,
    data: string | Uint8Array,
    beforeWrite?: () => Promise<void>,
  ): Promise<number>;
  /** Writes a temporary file, flushes it to disk, renames it over `path`. @throws AppError `disk` */
  writeAtomic(path: string, data: string | Uint8Array): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** Creates the directory and fails when it exists: the way a run claims its folder. @throws AppError `exists` */
  claimDirectory(path: string): Promise<void>;
  /** Names in a directory, sorted; empty when it does not exist. */
  list(path: string): Promise<readonly string[]>;
  /** Size in bytes, or null when absent. */
  size(path: string): Promise<number | null>;
  /** Flushes a file to disk, then renames it, over another one of that name. @throws AppError `disk` */
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  truncate(path: string, size: number): Promise<void>;
  /** The same disk, confined to `folder`, which need not exist. Paths stay what they are: they begin with `folder`. */
  within(folder: string): FolderFiles;
}

/**
 * The files of one folder, from which nothing leads out: a folder may come from a stranger. Every operation throws AppError
 * `folder-unsafe` (with `data.folder` and `data.path`) for a path outside, for a link in the path from `folder` on, itself included,
 * and for what is neither a plain file nor a directory. The way to `folder` may hold links: that is how its user laid it out.
 */
export interface FolderFiles extends FileSystem {
  /** Call before the first change to a folder that was found: looks through all of it. @throws AppError `folder-unsafe` */
  requireSafe(): Promise<void>;
}
