/** Line-based messages over a socket or pipe. Limits what either side can make the other buffer; beyond that the connection is closed. */

import type { Socket } from "node:net";

const MAX_LINE_CHARACTERS = 1024 * 1024;
const MAX_UNREAD_BYTES = 1024 * 1024;

/** Calls back with each complete line until the connection closes. A peer that sends an overlong line is disconnected. */
export function onLines(socket: Socket, onLine: (line: string) => void): void {
  let begun: string[] = [];
  let held = 0;
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    let start = 0;
    for (let end = piece.indexOf("\n"); end >= 0; end = piece.indexOf("\n", start)) {
      const line = begun.join("") + piece.slice(start, end);
      begun = [];
      held = 0;
      start = end + 1;
      onLine(line);
      if (socket.destroyed) return;
    }
    begun.push(piece.slice(start));
    held += piece.length - start;
    if (held > MAX_LINE_CHARACTERS) socket.destroy();
  });
}

/** Sends a value as one line; does nothing if the other side is gone. A peer that does not read is disconnected. */
export function sendLine(socket: Socket, value: object): void {
  if (!socket.writable) return;
  socket.write(`${JSON.stringify(value)}\n`);
  if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
}
