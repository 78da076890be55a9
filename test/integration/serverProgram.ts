/** The built server in a separate process, as an editor starts it. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import {
  type CancellationToken,
  CancellationTokenSource,
  createProtocolConnection,
  ProgressType,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import type { ReportsProgress } from "../../src/api/requests.ts";
import type { Variables } from "./trainProgram.ts";
import { PROGRAM_FOLDER } from "./trainProgram.ts";

export function startServer(variables: Variables = {}) {
  const { PATH, HOME, TMPDIR, TINKER_RL_STORE } = process.env;
  const child = spawn(process.execPath, [join(PROGRAM_FOLDER, "tinker-rl.js"), "lsp"], {
    env: { PATH, HOME, TMPDIR, TINKER_RL_STORE, NO_PROXY: "*", ...variables },
  });
  let stderr = "";
  child.stderr.on("data", (text) => {
    stderr += text;
  });
  const ended = once(child, "close");
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  connection.listen();
  return {
    pid: child.pid ?? 0,
    ask: <Answer>(
      method: string,
      parameters: object,
      token: CancellationToken = new CancellationTokenSource().token,
    ): Promise<Answer> => connection.sendRequest<Answer>(method, parameters, token),
    onReport: <Report>({ progressToken }: ReportsProgress, hear: (report: Report) => void) =>
      connection.onProgress(new ProgressType<Report>(), progressToken, hear),
    /** Disconnects like a killed editor, and resolves once the server has ended. */
    leave: async (): Promise<{ readonly code: number | null; readonly stderr: string }> => {
      child.stdin.end();
      const [code] = await ended;
      return { code, stderr };
    },
  };
}
