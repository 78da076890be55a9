/** Lines over a socket or pipe, with a bound on their length: what is longer ends the connection. */

import type { Socket } from "node:net";

const MAX_LINE_CHARACTERS = 4 * 1024 * 1024;

/** Calls back with each complete line. A peer that sends an endless line is cut off. */
export function onLines(socket: Socket, onLine: (line: string) => void): void {
  let rest = "";
  socket.setEncoding("utf8");
  socket.on("data", (piece: string) => {
    rest += piece;
    let end = rest.indexOf("\n");
    while (end >= 0) {
      const line = rest.slice(0, end);
      rest = rest.slice(end + 1);
      onLine(line);
      end = rest.indexOf("\n");
    }
    if (rest.length > MAX_LINE_CHARACTERS) socket.destroy();
  });
}

/** Sends one value as a line; nothing when the other side is gone. */
export function sendLine(socket: Socket, value: object): void {
  if (socket.writable) socket.write(`${JSON.stringify(value)}\n`);
}
