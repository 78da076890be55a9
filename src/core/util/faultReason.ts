/** Describes a connection error briefly, for use within a sentence. */

import { type AppError, errorMessage } from "../errors.ts";

/** The cause, without the address and advice in the message of an AppError `transport`. */
export function faultReason(error: AppError): string {
  const { reason } = error.data;
  return typeof reason === "string" ? reason : errorMessage(error);
}
