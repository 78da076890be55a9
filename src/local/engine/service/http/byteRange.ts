/** Replies with a file or its tail: RFC 9110, 14 (ranges) and 13.1.5 (`If-Range`), RFC 9530 (digest). */

import { createHash } from "node:crypto";
import type { Reply } from "../../../http/reply.ts";
import type { ServiceRequest } from "../../../http/router.ts";

/** Supports `bytes=N-`, which resumes a broken download; any other range returns the whole file. */
export function fileReply({ header }: Pick<ServiceRequest, "header">, file: Uint8Array): Reply {
  const digest = createHash("sha256").update(file).digest("base64");
  const etag = `"${digest}"`;
  const headers = { ETag: etag, "Accept-Ranges": "bytes", "Repr-Digest": `sha-256=:${digest}:` };
  const whole = { status: 200, contentType: "application/octet-stream", body: file, headers };
  const begin = Number(/^bytes=(\d+)-$/.exec(header("range"))?.[1] ?? Number.NaN);
  const condition = header("if-range");
  if (Number.isNaN(begin) || (condition !== "" && condition !== etag)) return whole;
  const { byteLength } = file;
  if (begin >= byteLength) {
    const range = { ...headers, "Content-Range": `bytes */${byteLength}` };
    return { ...whole, status: 416, body: new Uint8Array(0), headers: range };
  }
  const range = `bytes ${begin}-${byteLength - 1}/${byteLength}`;
  const rest = { ...headers, "Content-Range": range };
  return { ...whole, status: 206, body: file.subarray(begin), headers: rest };
}
