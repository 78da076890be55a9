/** A fault of a connection in a few words, to stand within a sentence. */

import { type AppError, errorMessage } from "../errors.ts";

/** Of AppError `transport`: what broke, without the address and the advice of its own message. */
export function faultReason(error: AppError): string {
  const { reason } = error.data;
  return typeof reason === "string" ? reason : errorMessage(error);
}
