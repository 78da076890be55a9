/** An HTTP client that loses the rest of one answer. */

import { AppError } from "../../src/core/errors.ts";
import type { HttpClient, HttpResponse } from "../../src/core/ports.ts";

/** Breaks the first stream of a call right after its first bytes, and then runs `afterwards`. */
export function cuttingFirstCall(
  http: HttpClient,
  afterwards: () => void = () => undefined,
): HttpClient {
  let isCut = false;
  return {
    send: async (request) => {
      const response = await http.send(request);
      if (isCut || !request.url.endsWith("/call")) return response;
      isCut = true;
      return { ...response, stream: () => firstChunk(response, afterwards) };
    },
  };
}

async function* firstChunk(
  response: HttpResponse,
  afterwards: () => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of response.stream()) {
    yield chunk;
    break;
  }
  afterwards();
  throw new AppError("transport", "cut", { data: { sent: true } });
}
