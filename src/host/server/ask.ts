/** Requests for which only the answer matters. */

import type { RequestOutcome } from "../../api/requests.ts";
import { parseErrorCode } from "../../core/errorCodes.ts";
import { AppError } from "../../core/errors.ts";
import type { Server } from "./server.ts";

/** Sends a request that is answered with an outcome. @throws AppError from the server */
export async function ask<Value>(
  server: Pick<Server, "request">,
  method: string,
  parameters: object,
): Promise<Value> {
  return answerOf(await server.request<RequestOutcome<Value>>(method, parameters));
}

/** @throws AppError from the server */
export function answerOf<Value>(outcome: RequestOutcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new AppError(parseErrorCode(outcome.error.code), outcome.error.message);
}
