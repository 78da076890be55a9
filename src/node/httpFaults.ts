/** Errors for requests without a complete answer. */

import { AppError, errorMessage } from "../core/errors.ts";
import type { HttpRequest } from "../core/ports.ts";

/** Codes of requests that could not be serialized. */
const UNSENT_CODES: readonly string[] = ["UND_ERR_INVALID_ARG", "ERR_INVALID_URL"];

/** AppError `transport` for a failed connection. */
export function connectionFault(request: HttpRequest, error: unknown): AppError {
  return transportError(request, errorMessage(error), wasPossiblySent(error), error);
}

/** AppError `transport` for a timeout; `wasStarted` if the first byte may have been sent. */
export function timeoutFault(request: HttpRequest, wasStarted: boolean): AppError {
  return transportError(request, `no complete answer in ${request.timeoutMs} ms`, wasStarted);
}

/** AppError `transport` for an answer that exceeds the size limit. */
export function tooLongFault(request: HttpRequest, limit: string): AppError {
  return transportError(request, `the answer is longer than ${limit}`, true);
}

function transportError(
  request: HttpRequest,
  words: string,
  sent: boolean,
  cause?: unknown,
): AppError {
  const address = describeUrl(request.url);
  const reason = words || "the connection broke";
  const code = errorField(cause, "code") ?? null;
  return new AppError(
    "transport",
    `${request.method} ${address} failed: ${reason}. Check the network, the proxy settings and the address.${repairOf(reason, code)}`,
    { data: { sent, url: address, reason, code }, cause },
  );
}

/** Codes for certificates without a trusted root on this computer, typical for inspected networks. */
const UNTRUSTED_CODES: readonly string[] = [
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
];

/** How to fix a failure caused by the network's setup, as a sentence; "" for other failures. */
function repairOf(reason: string, code: string | null): string {
  if (UNTRUSTED_CODES.includes(code ?? "")) {
    return " Set NODE_EXTRA_CA_CERTS to the file with your organization's certificate.";
  }
  const asksForUser = reason.includes("Proxy response (407)");
  return asksForUser ? " Put USER:PASSWORD@ before the host in HTTPS_PROXY." : "";
}

/** The URL without user info and query, which may contain keys. */
function describeUrl(url: string): string {
  if (!URL.canParse(url)) return "an invalid URL";
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

function wasPossiblySent(error: unknown): boolean {
  const hadConnection = errorField(error, "syscall") !== "connect";
  return hadConnection && !UNSENT_CODES.includes(errorField(error, "code") ?? "");
}

function errorField(error: unknown, name: "code" | "syscall"): string | undefined {
  const value: unknown =
    error instanceof Error ? Object.getOwnPropertyDescriptor(error, name)?.value : undefined;
  return typeof value === "string" ? value : undefined;
}
