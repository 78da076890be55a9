import { createHash } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { AppError } from "../../../src/core/errors.ts";
import type { HttpRequest, HttpResponse } from "../../../src/core/ports.ts";
import { downloadFiles } from "../../../src/core/weights/downloadFiles.ts";
import { DownloadRecord } from "../../../src/core/weights/downloadRecord.ts";
import { startHash } from "../../../src/node/hash.ts";
import { FakeClock } from "../../fakes/fakeClock.ts";
import { createMemoryFileSystem, type MemoryFileSystem } from "../runFolder/memoryFileSystem.ts";
import { aSafetensorsFile } from "./aSafetensorsFile.ts";

const FOLDER = "/weights";
const SOURCE = "tinker://s:train:0/weights/a";
const MODEL = "adapter_model.safetensors";
const CONFIG = "adapter_config.json";
/** More than a single write. */
const WEIGHTS = aSafetensorsFile(600_000);
const FILES: Readonly<Record<string, Uint8Array>> = {
  [MODEL]: WEIGHTS,
  [CONFIG]: new TextEncoder().encode('{"r":8}'),
};

/** A storage's answer to one request. */
interface Answer {
  readonly status?: number;
  /** Bytes that arrive before the connection ends. */
  readonly cutAfter?: number;
  readonly body?: Uint8Array;
  readonly etag?: string | null;
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Stalls after the first bytes. */
  readonly stalls?: boolean;
}

let files: MemoryFileSystem;
let clock: FakeClock;
let requests: HttpRequest[];
/** Answers to the next requests for the weights, followed by complete ones. */
let answers: Answer[];
let signings: number;
let expiresInMs: number | null;

beforeEach(() => {
  files = createMemoryFileSystem();
  clock = new FakeClock();
  requests = [];
  answers = [];
  signings = 0;
  expiresInMs = 3_600_000;
});

async function respond(request: HttpRequest): Promise<HttpResponse> {
  requests.push(request);
  const name = new URL(request.url).pathname.slice(1);
  const file = FILES[name] ?? new Uint8Array();
  const answer = name === MODEL ? (answers.shift() ?? {}) : {};
  const { etag = '"v1"', cutAfter, stalls = false } = answer;
  const asked = Number(/^bytes=(\d+)-$/.exec(request.headers?.["range"] ?? "")?.[1] ?? 0);
  const isSame = request.headers?.["if-range"] === etag;
  const from = isSame ? asked : 0;
  const body = answer.body ?? file.subarray(from);
  const status = answer.status ?? (from > 0 ? 206 : 200);
  const length = { "content-length": String(body.length) };
  const headers: Record<string, string | null> = { etag, ...length, ...answer.headers };
  const refused = status >= 400;
  return {
    status,
    header: (key) => headers[key] ?? null,
    bytes: async () => body,
    text: async () => "",
    async *stream() {
      const end = refused ? 0 : (cutAfter ?? body.length);
      for (let at = 0; at < end; at += 65_536) yield body.subarray(at, Math.min(end, at + 65_536));
      if (stalls) await new Promise(() => undefined);
      if (cutAfter !== undefined) throw new AppError("transport", "The connection ended.");
    },
  };
}

async function download(urlOf = (name: string) => `https://storage.test/${name}?sig=x`) {
  const record = await DownloadRecord.open(files, FOLDER, { source: SOURCE, form: "" });
  const work = downloadFiles({
    files,
    clock,
    record,
    folder: FOLDER,
    serviceOrigin: "http://127.0.0.1:8000",
    http: { send: respond },
    random: { uuid: () => "u", uniform: () => 0 },
    startHash,
    sign: async () => {
      signings += 1;
      const urls = new Map(Object.keys(FILES).map((name) => [name, urlOf(name)]));
      return { urls, expiresAtMs: expiresInMs === null ? null : clock.now() + expiresInMs };
    },
  });
  return await clock.run(work);
}

/** Compares the file as a whole, because element by element takes seconds. */
function isWhole(): boolean {
  return Buffer.from(WEIGHTS).equals(stored(MODEL));
}

function stored(name: string): Uint8Array {
  return Uint8Array.from(files.files.get(`${FOLDER}/${name}`) ?? []);
}

describe("a download", () => {
  it("is refused without a size, because its end would look like a broken connection", async () => {
    answers = [{ headers: { "content-length": null } }];
    await expect(download()).rejects.toMatchObject({ code: "download-failed" });
    expect(stored(MODEL)).toHaveLength(0);
  });

  it("fetches all files completely", async () => {
    expect(await download()).toEqual([CONFIG, MODEL]);
    expect(isWhole()).toBe(true);
    expect([...files.files.keys()].some((name) => name.endsWith(".part"))).toBe(false);
    expect(signings).toBe(1);
  });

  it("resumes where a connection ended, if the storage still has the same file", async () => {
    answers = [{ cutAfter: 1_500_000 }, { cutAfter: 200_000 }];
    await download();
    expect(requests.map(({ headers }) => headers?.["range"] ?? null)).toEqual([
      ...[null, null, "bytes=1500000-", "bytes=1700000-"],
    ]);
    expect(isWhole()).toBe(true);

    files = createMemoryFileSystem();
    answers = [{ cutAfter: 1_500_000 }, { etag: '"v2"' }];
    await download();
    expect(isWhole()).toBe(true);
  });

  it("starts over if nothing confirms that the rest belongs to the same file", async () => {
    answers = [{ cutAfter: 1_500_000, etag: null }, { etag: null }];
    await download();
    expect(requests.at(-1)?.headers).toEqual({});
    expect(isWhole()).toBe(true);
  });

  it("resumes in a later call", async () => {
    answers = Array.from({ length: 6 }, () => ({ cutAfter: 100_000 }));
    await expect(download()).rejects.toMatchObject({ code: "download-failed" });
    expect(stored(`${MODEL}.part`).length).toBe(600_000);
    await download();
    expect(requests.at(-1)?.headers?.["range"]).toBe("bytes=600000-");
    expect(isWhole()).toBe(true);
  });

  it("accepts a part file that is already complete", async () => {
    const size = WEIGHTS.length;
    const nothingFollows = { status: 416, headers: { "content-range": `bytes */${size}` } };
    answers = [{ cutAfter: size }, nothingFollows];
    await download();
    expect(requests.map(({ headers }) => headers?.["range"] ?? null)).toEqual([
      ...[null, null, `bytes=${size}-`],
    ]);
    expect(isWhole()).toBe(true);
  });

  it.each([
    ["is of another file", { etag: '"v2"' }, WEIGHTS.length],
    ["is longer than the file", {}, WEIGHTS.length - 1],
  ])("starts over when a part %s", async (_what, changes, size) => {
    const headers = { "content-range": `bytes */${size}` };
    answers = [{ cutAfter: WEIGHTS.length }, { status: 416, headers, ...changes }];
    await download();
    expect(requests.at(-1)?.headers).toEqual({});
    expect(isWhole()).toBe(true);
  });

  it("times out when the storage goes silent", async () => {
    answers = [{ stalls: true, cutAfter: 70_000 }];
    await download();
    expect(isWhole()).toBe(true);
  });

  it("requests new signed addresses when they are refused or about to expire", async () => {
    answers = [{ status: 403 }];
    await download();
    expect(signings).toBe(2);
    expiresInMs = 60_000;
    files = createMemoryFileSystem();
    await download();
    expect(signings).toBeGreaterThan(3);
  });

  it("keeps no file with a wrong size or layout", async () => {
    answers = [{ body: WEIGHTS.subarray(0, 900_000) }];
    await expect(download()).rejects.toMatchObject({ code: "download-damaged" });
    expect(stored(`${MODEL}.part`).length).toBe(0);
    await download();
    expect(isWhole()).toBe(true);
  });

  it.each([
    ["repr-digest", (right: string) => `unixsum=:AA==:, sha-256=:${right}:`, "sha256"],
    ["x-amz-checksum-sha256", (right: string) => right, "sha256"],
    ["x-goog-hash", (right: string) => `crc32c=AAAAAA==,md5=${right}`, "md5"],
  ] as const)("keeps no file with a wrong digest in %s", async (header, asSent, algorithm) => {
    const digest = (bytes: Uint8Array): Readonly<Record<string, string>> => ({
      [header]: asSent(createHash(algorithm).update(bytes).digest("base64")),
    });
    const changed = Uint8Array.from(WEIGHTS);
    changed[changed.length - 1] = 7;
    answers = [{ body: changed, headers: digest(WEIGHTS) }];
    await expect(download()).rejects.toThrow(/does not match that of the storage/);
    expect(stored(`${MODEL}.part`).length).toBe(0);
    answers = [{ cutAfter: 1_500_000 }, { headers: digest(WEIGHTS) }];
    await download();
    expect(isWhole()).toBe(true);
  });

  it("keeps what arrived when the disk is full, and resumes later", async () => {
    files.allowedWrites = 8;
    await expect(download()).rejects.toMatchObject({ code: "disk" });
    files.allowedWrites = Number.POSITIVE_INFINITY;
    await download();
    expect(isWhole()).toBe(true);
  });

  it("uses only encrypted connections, except with the service itself", async () => {
    await expect(download((name) => `http://storage.test/${name}`)).rejects.toMatchObject({
      code: "download-unsafe",
    });
    expect(requests).toEqual([]);
    await download((name) => `http://127.0.0.1:8000/${name}`);
    expect(requests.every(({ headers }) => !("x-api-key" in (headers ?? {})))).toBe(true);
  });

  it("changes no folder with other contents", async () => {
    await files.makeDirectory("/other");
    await files.writeAtomic("/other/thesis.tex", "");
    await expect(
      DownloadRecord.open(files, "/other", { source: SOURCE, form: "" }),
    ).rejects.toMatchObject({
      code: "folder-not-empty",
    });
  });
});
