/** Downloads the missing rest of a file, keeping whatever arrived however the connection ends. */

import { AppError } from "../errors.ts";
import type { Clock, FolderFiles, HttpClient, HttpResponse } from "../ports.ts";
import { REPLY_LIMITS } from "../replyLimits.ts";
import {
  type LinkedSignal,
  linkSignals,
  raceAbort,
  timeoutError,
  withLimit,
} from "../util/abort.ts";
import { concatBytes } from "../util/concatBytes.ts";
import { type ContentDigest, namedDigest } from "./contentDigest.ts";
import type { DownloadRecord } from "./downloadRecord.ts";

export interface FileProgress {
  readonly name: string;
  readonly receivedBytes: number;
  /** Null if the server does not say. */
  readonly totalBytes: number | null;
}

export interface FetchOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly files: FolderFiles;
  /** The target folder. */
  readonly folder: string;
  readonly record: DownloadRecord;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

export type Fetched =
  /** `digest` is the one the storage reports, or null. */
  | { readonly isComplete: true; readonly digest: ContentDigest | null }
  | {
      readonly isComplete: false;
      readonly reason: string;
      /** Refused by the storage; the address may have expired. */
      readonly isRefused: boolean;
    };

/** Longest wait for the next byte. */
const SILENCE_LIMIT_MS = 60_000;
const WRITE_BYTES = 2 ** 20;
/** Limit for files that are read whole for verification. */
const MAX_JSON_BYTES = 2 ** 24;

/**
 * Appends to `NAME.part` from its end, or starts over if the file has changed.
 * @throws AppError `download-failed` if the size is unknown, `transport`, `timeout`, `disk`; the reason of `signal`
 */
export async function fetchPart(
  options: FetchOptions,
  url: string,
  name: string,
): Promise<Fetched> {
  const { files, folder, record } = options;
  const path = `${folder}/${name}.part`;
  const hadBytes = (await files.size(path)) ?? 0;
  const etag = record.etagOf(name);
  const exchange = linkSignals([options.signal]);
  try {
    const response = await request(options, url, { name, etag, hadBytes, exchange });
    return await receive(options, response, { name, path, etag, hadBytes, exchange });
  } finally {
    // Ends a response that was not read to the end.
    exchange.abort(new Error("The download continued in another way."));
    exchange.clear();
  }
}

interface Receiving {
  readonly name: string;
  readonly path: string;
  /** Version of the existing part. */
  readonly etag: string | null;
  readonly hadBytes: number;
  readonly exchange: LinkedSignal;
}

async function receive(
  options: FetchOptions,
  response: HttpResponse,
  { name, path, etag, hadBytes, exchange }: Receiving,
): Promise<Fetched> {
  const { files, record } = options;
  const { status } = response;
  if (status !== 200 && status !== 206) {
    await response.bytes();
    if (status === 416) {
      const isSame = etag !== null && strongEtag(response) === etag;
      const isWhole = response.header("content-range") === `bytes */${hadBytes}`;
      // A digest in this response may be for its own body.
      if (isSame && isWhole) return { isComplete: true, digest: null };
      // The part is longer than the file or incomplete, so it belongs to another version.
      await files.remove(path);
    }
    const reason = `the storage answered ${status}`;
    return { isComplete: false, reason, isRefused: status < 500 };
  }
  const offset = status === 206 ? hadBytes : 0;
  if (offset === 0) {
    await files.remove(path);
    await files.append(path, "");
  }
  await record.setEtag(name, strongEtag(response));
  return await store(options, response, { name, path, offset, exchange });
}

type Wanted = Omit<Receiving, "path">;

/** Without a version to compare, the remaining bytes could be from another file, so the whole file is requested. */
function request(
  { http, clock }: FetchOptions,
  url: string,
  { name, etag, hadBytes, exchange }: Wanted,
): Promise<HttpResponse> {
  const headers: Record<string, string> =
    etag === null || hadBytes === 0 ? {} : { range: `bytes=${hadBytes}-`, "if-range": etag };
  const fault = (most: string): Error => new Error(`${name} is longer than ${most}`);
  const { signal } = exchange;
  return endAtSilence(clock, { name, exchange }, () =>
    http.send({
      method: "GET",
      url,
      headers,
      signal,
      replyLimit: { bytes: name.endsWith(".json") ? MAX_JSON_BYTES : REPLY_LIMITS.weights, fault },
    }),
  );
}

interface Rest extends Omit<Receiving, "etag" | "hadBytes"> {
  /** Offset in the file at which the response begins. */
  readonly offset: number;
}

async function store(
  { files, clock, onProgress }: FetchOptions,
  response: HttpResponse,
  { name, path, offset, exchange }: Rest,
): Promise<Fetched> {
  const length = response.header("content-length");
  if (length === null) {
    // Otherwise a broken connection would look like the end of the file.
    throw new AppError(
      "download-failed",
      `The storage does not say how large ${name} is. Check the address of the service.`,
      { data: { name } },
    );
  }
  const totalBytes = offset + Number(length);
  let receivedBytes = offset;
  let unwritten: Uint8Array[] = [];
  let writtenBytes = offset;
  const write = async (): Promise<void> => {
    await files.append(path, concatBytes(unwritten));
    unwritten = [];
    writtenBytes = receivedBytes;
  };
  const chunks = response.stream()[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await endAtSilence(clock, { name, exchange }, () => chunks.next());
      if (next.done === true) break;
      unwritten.push(next.value);
      receivedBytes += next.value.length;
      if (receivedBytes - writtenBytes >= WRITE_BYTES) await write();
      onProgress?.({ name, receivedBytes, totalBytes });
    }
  } finally {
    await write();
  }
  if (receivedBytes === totalBytes) {
    return { isComplete: true, digest: namedDigest(response) };
  }
  const reason = `it ended after ${receivedBytes} of ${totalBytes} bytes`;
  return { isComplete: false, reason, isRefused: false };
}

/** @throws AppError `timeout` if `next` takes longer than a minute; the reason of the exchange's signal */
function endAtSilence<Result>(
  clock: Clock,
  { name, exchange }: { readonly name: string; readonly exchange: LinkedSignal },
  next: () => Promise<Result>,
): Promise<Result> {
  const limit = {
    clock,
    limitMs: SILENCE_LIMIT_MS,
    onLimit: () => timeoutError(`Waiting for a byte of ${name}`, SILENCE_LIMIT_MS),
    parents: [exchange.signal],
  };
  return withLimit(limit, ({ signal }) => raceAbort(next(), signal));
}

/** Null for a weak ETag, which does not guarantee equal bytes: RFC 9110, 8.8.1. */
function strongEtag(response: HttpResponse): string | null {
  const etag = response.header("etag");
  return etag === null || etag.startsWith("W/") ? null : etag;
}
