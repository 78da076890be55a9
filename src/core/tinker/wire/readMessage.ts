/** Binary messages of a server that may send anything. */

import { errorMessage } from "../../errors.ts";
import { malformedMessage } from "../transport/errors.ts";

/** What `read` gives. @throws AppError `tinker-protocol` when it throws: `what` names the message */
export function readMessage<Message>(what: string, read: () => Message): Message {
  try {
    return read();
  } catch (error) {
    throw malformedMessage(`the bytes are not a valid ${what} (${errorMessage(error)})`);
  }
}
