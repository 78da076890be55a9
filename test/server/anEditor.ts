/** An editor connected to a server with a fake trainer. */

import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import {
  type CancellationToken,
  createConnection,
  createProtocolConnection,
  ProgressType,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import type { ServerRequestOptions } from "../../src/host/server/serverClient.ts";
import type { WindowCatalogue } from "../../src/server/catalogue.ts";
import { OpenRequests, type TrainerFunctions } from "../../src/server/openRequests.ts";
import { serve } from "../../src/server/serve.ts";
import { FakeClock } from "../fakes/fakeClock.ts";
import { onlyMembers } from "../fakes/onlyMembers.ts";

/** `catalogue` replaces the server's own. */
export function anEditor(functions: Partial<TrainerFunctions> = {}, catalogue?: WindowCatalogue) {
  const trainer = onlyMembers(functions);
  const [toServer, toEditor] = [new PassThrough(), new PassThrough()];
  const connection = createConnection(
    ProposedFeatures.all,
    new StreamMessageReader(toServer),
    new StreamMessageWriter(toEditor),
  );
  const [requests, clock] = [new OpenRequests(), new FakeClock()];
  // Next to the environment templates.
  const programFolder = fileURLToPath(new URL("../../src/trainer/scaffold", import.meta.url));
  const options = { connection, trainer, requests, clock, programFolder };
  serve({ ...options, collectNext: () => undefined }, "1.0.0", { catalogue });
  const editor = createProtocolConnection(
    new StreamMessageReader(toEditor),
    new StreamMessageWriter(toServer),
  );
  let received = "";
  toEditor.on("data", (bytes: Buffer) => {
    received += bytes.toString();
  });
  editor.listen();
  return {
    editor,
    requests,
    clock,
    /** All messages from the server. */
    received: () => received,
    ask: <Answer>(method: string, parameters: object, token?: CancellationToken) =>
      token === undefined
        ? editor.sendRequest<Answer>(method, parameters)
        : editor.sendRequest<Answer>(method, parameters, token),
    /** Sends a request like the extension. */
    server: {
      request: async <Answer, Report = never>(
        method: string,
        parameters: object & { readonly progressToken?: string },
        { token, onProgress }: ServerRequestOptions<Report> = {},
      ): Promise<Answer> => {
        const { progressToken } = parameters;
        if (progressToken !== undefined && onProgress !== undefined)
          editor.onProgress(new ProgressType<Report>(), progressToken, onProgress);
        return token === undefined
          ? editor.sendRequest<Answer>(method, parameters)
          : editor.sendRequest<Answer>(method, parameters, token as CancellationToken);
      },
    },
    notify: (method: string, parameters: object) => editor.sendNotification(method, parameters),
    /** Progress reports for this token, as they arrive. */
    reports: <Report>(token: string): readonly Report[] => {
      const reports: Report[] = [];
      editor.onProgress(new ProgressType<Report>(), token, (report) => {
        reports.push(report);
      });
      return reports;
    },
  };
}
