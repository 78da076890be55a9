/** Digests of files: the one a storage reports, and the one of the file as written. */

import type { FileSystem, HttpResponse, StartHash } from "../ports.ts";

export interface ContentDigest {
  readonly algorithm: "sha256" | "md5";
  readonly base64: string;
}

/** Response headers with the digest of the whole file, also sent for range requests. */
const HEADERS: readonly (readonly [string, ContentDigest["algorithm"], RegExp])[] = [
  // RFC 9530, 3
  ["repr-digest", "sha256", /(?:^|[\s,])sha-256=:([A-Za-z0-9+/=]+):/],
  // https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity.html
  ["x-amz-checksum-sha256", "sha256", /^([A-Za-z0-9+/]{43}=)$/],
  // https://cloud.google.com/storage/docs/xml-api/reference-headers#xgooghash
  ["x-goog-hash", "md5", /(?:^|[\s,])md5=([A-Za-z0-9+/]{22}==)/],
];
const PIECE_BYTES = 2 ** 20;

/** Null if the response has no digest. */
export function namedDigest(response: Pick<HttpResponse, "header">): ContentDigest | null {
  for (const [name, algorithm, pattern] of HEADERS) {
    const base64 = pattern.exec(response.header(name) ?? "")?.[1];
    if (base64 !== undefined) return { algorithm, base64 };
  }
  return null;
}

/** Base64 digest of a file. @throws AppError `file-unreadable` */
export async function digestOf(
  files: Pick<FileSystem, "readRange" | "size">,
  path: string,
  { startHash, algorithm }: { readonly startHash: StartHash } & Pick<ContentDigest, "algorithm">,
): Promise<string> {
  const hash = startHash(algorithm);
  const size = (await files.size(path)) ?? 0;
  for (let at = 0; at < size; at += PIECE_BYTES) {
    hash.update(await files.readRange(path, at, Math.min(PIECE_BYTES, size - at)));
  }
  return hash.base64();
}
