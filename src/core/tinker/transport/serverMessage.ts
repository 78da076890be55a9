/** Messages of a server for the people who use it. */

import type { HttpResponse } from "../../ports.ts";

/** In the server's words or about it. */
export interface ServerMessage {
  readonly level: "info" | "warn";
  readonly text: string;
}

export type OnServerMessage = (message: ServerMessage) => void;

/** Passes on each deprecation note of an answer's headers once. */
export function deprecationNotes(
  onMessage: OnServerMessage | undefined,
): (response: HttpResponse) => void {
  const reported = new Set<string>();
  return (response) => {
    const text = response.header("x-deprecation-note");
    if (text === null || text === "" || reported.has(text)) return;
    reported.add(text);
    onMessage?.({ level: "warn", text });
  };
}
