/** Decodes binary messages from servers, which may send anything. */

import { errorMessage } from "../../errors.ts";
import { malformedMessage } from "../transport/errors.ts";

/** Returns what `read` returns. @throws AppError `tinker-protocol` if it throws; `what` names the message */
export function readMessage<Message>(what: string, read: () => Message): Message {
  try {
    return read();
  } catch (error) {
    throw malformedMessage(`the bytes are not a valid ${what} (${errorMessage(error)})`);
  }
}
