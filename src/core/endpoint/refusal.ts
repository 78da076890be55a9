/** A refused request to the endpoint: message, HTTP status, and the parameter at fault. */

import { ColumnError } from "../chat/openaiMessages.ts";
import { AppError, isAppError } from "../errors.ts";

export interface RequestRefusal {
  readonly status: number;
  readonly message: string;
  /** Key at fault, such as `messages[2].content`; null for none. */
  readonly param: string | null;
  /** OpenAI's machine-readable code; null for none. */
  readonly code: string | null;
}

interface RefusalDetails {
  readonly status?: number;
  readonly param?: string;
  readonly code?: string;
}

/** Status 400 by default. */
export function endpointRefusal(
  message: string,
  { status = 400, param, code }: RefusalDetails = {},
): AppError {
  return new AppError("endpoint-refused", message, { data: { status, param, code } });
}

/** Errors caused by this particular request. */
const REQUEST_ERRORS = ["chat-render", "chat-bridge", "sample-refused"] as const;

/** Null for an error that the request did not cause. */
export function refusalOf(error: unknown): RequestRefusal | null {
  if (error instanceof ColumnError) {
    const { column, message } = error;
    return { status: 400, message: `${column}: ${message}.`, param: column, code: null };
  }
  if (isAppError(error, "endpoint-refused")) {
    // Only `endpointRefusal` creates this code.
    const { status = 400, param = null, code = null } = error.data as Partial<RequestRefusal>;
    return { status, message: error.message, param, code };
  }
  if (isAppError(error, "prompt-too-long")) {
    const code = "context_length_exceeded";
    return { status: 400, message: error.message, param: "messages", code };
  }
  if (isAppError(error, ...REQUEST_ERRORS)) {
    return { status: 400, message: error.message, param: "messages", code: null };
  }
  return null;
}
