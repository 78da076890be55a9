/** Ports that redact secrets: a log, and an HTTP client for services that quote keys in error responses. */

import type { HttpClient, HttpResponse, Log } from "../../ports.ts";
import type { Redactor } from "./redactor.ts";

/** Wraps a log so that secrets are redacted from texts and errors. */
export function redactingLog(log: Log, redactor: Redactor): Log {
  const cleaned =
    (level: keyof Log): Log[keyof Log] =>
    (message, data) =>
      log[level](redactor.redact(message), data && cleanedData(data, redactor));
  return {
    debug: cleaned("debug"),
    info: cleaned("info"),
    warn: cleaned("warn"),
    error: cleaned("error"),
  };
}

function cleanedData(data: Readonly<Record<string, unknown>>, redactor: Redactor) {
  const entries = Object.entries(data).map(([key, value]) => [
    redactor.redact(key),
    value instanceof Error ? redactor.redactError(value) : redactor.redactRecord({ value }).value,
  ]);
  return Object.fromEntries(entries);
}

/**
 * Wraps a client so that secrets are redacted from error responses (status 400 and above). This comes first, because a reader may
 * shorten the text, and a partial key can no longer be recognized.
 */
export function redactingRefusals<Client extends HttpClient>(
  http: Client,
  redactor: Redactor,
): Client {
  return {
    ...http,
    send: async (request) => {
      const response = await http.send(request);
      return response.status < 400 ? response : cleanedResponse(response, redactor);
    },
  };
}

function cleanedResponse(response: HttpResponse, redactor: Redactor): HttpResponse {
  const text = async (): Promise<string> => redactor.redact(await response.text());
  return {
    status: response.status,
    header: (name) => response.header(name),
    text,
    bytes: async () => new TextEncoder().encode(await text()),
    stream: async function* () {
      yield new TextEncoder().encode(await text());
    },
  };
}
