/** The language server of an editor that started this process. */

import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { serveLanguage } from "./languageServer.ts";

/** Ends with the editor's `exit` or with the editor itself, and then the process with it. */
export function serveStandardStreams(version: string): Promise<never> {
  const connection = createConnection(ProposedFeatures.all, process.stdin, process.stdout);
  serveLanguage(connection, version);
  return new Promise(() => undefined);
}
