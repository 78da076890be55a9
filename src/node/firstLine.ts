/** Reads the first line from a process's standard input. */

import type { Readable } from "node:stream";

/** The first line of `input` without its newline, or everything if it ends earlier; drains and discards the rest. */
export function firstLine(input: Readable): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const take = (piece: Uint8Array): void => {
      text += Buffer.from(piece).toString("latin1");
      const end = text.indexOf("\n");
      if (end >= 0) finish(text.slice(0, end));
    };
    const finish = (line: string): void => {
      input.off("data", take).resume();
      resolve(Buffer.from(line, "latin1").toString("utf8"));
    };
    input.on("data", take).once("close", () => finish(text));
  });
}
