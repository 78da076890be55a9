/** Configured headers for requests to one service. */

import type { HttpClient } from "../../core/ports.ts";

/** A client that adds `headers` (lower case) to requests to the origin of `url`; headers of the request itself win. */
export function withHeaders<Client extends HttpClient>(
  http: Client,
  url: string,
  headers: Readonly<Record<string, string>>,
): Client {
  if (Object.keys(headers).length === 0) return http;
  const { origin } = new URL(url);
  return {
    ...http,
    send: (request) =>
      new URL(request.url).origin === origin
        ? http.send({ ...request, headers: { ...headers, ...request.headers } })
        : http.send(request),
  };
}
