/** Fetches what is missing of one file, and keeps what arrived however the connection ends. */

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
  /** Null when the server does not say. */
  readonly totalBytes: number | null;
}

export interface FetchOptions {
  readonly http: HttpClient;
  readonly clock: Clock;
  readonly files: FolderFiles;
  /** Where the files go. */
  readonly folder: string;
  readonly record: DownloadRecord;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: FileProgress) => void) | undefined;
}

export type Fetched =
  /** `digest` is the one that the storage names, or null. */
  | { readonly isComplete: true; readonly digest: ContentDigest | null }
  | {
      readonly isComplete: false;
      readonly reason: string;
      /** By the storage: the address may have expired. */
      readonly isRefused: boolean;
    };

/** Without a byte. */
const SILENCE_LIMIT_MS = 60_000;
const WRITE_BYTES = 2 ** 20;
/** Limits a file that is read as a whole to check it. */
const MAX_JSON_BYTES = 2 ** 24;

/**
 * Appends to `NAME.part` from where it ends, or begins again when the file is another one than it was.
 * @throws AppError `download-failed` without a size, `transport`, `timeout`, `disk`; the reason of `signal`
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
    // Ends an answer that was not read to its end.
    exchange.abort(new Error("The download continued in another way."));
    exchange.clear();
  }
}

interface Receiving {
  readonly name: string;
  readonly path: string;
  /** Of what is there. */
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
      // A digest in this answer may be that of its own body.
      if (isSame && isWhole) return { isComplete: true, digest: null };
      // Nothing follows what is there, and it is not complete: it is a part of another file.
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

/** Without a version to compare, bytes that follow could be those of another file: then all are asked for. */
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
  /** Where in the file the answer begins. */
  readonly offset: number;
}

async function store(
  { files, clock, onProgress }: FetchOptions,
  response: HttpResponse,
  { name, path, offset, exchange }: Rest,
): Promise<Fetched> {
  const length = response.header("content-length");
  if (length === null) {
    // Its end and a broken connection would look the same.
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

/** @throws AppError `timeout` after a minute without what `next` gives; the reason of the exchange's signal */
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

/** A weak one does not promise equal bytes: RFC 9110, 8.8.1. */
function strongEtag(response: HttpResponse): string | null {
  const etag = response.header("etag");
  return etag === null || etag.startsWith("W/") ? null : etag;
}
