/** Headers that a configuration adds to the requests of one service. */

import type { HttpClient } from "../../core/ports.ts";

/** A client that adds `headers`, in lower case, to requests to the origin of `url` only; what a request sends itself stays. */
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
