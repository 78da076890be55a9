/** A server's messages for its users. */

import type { HttpResponse } from "../../ports.ts";

/** Either the server's own words or a message about the server. */
export interface ServerMessage {
  readonly level: "info" | "warn";
  readonly text: string;
}

export type OnServerMessage = (message: ServerMessage) => void;

/** Passes on each distinct deprecation note in the answers' headers once. */
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
