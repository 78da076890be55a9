/** All that the server answers. */

import { once } from "node:events";
import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { systemClock } from "../node/clock.ts";
import { openChat } from "../trainer/chat/openChat.ts";
import { changeCheckpoints } from "../trainer/checkpoints/changeCheckpoints.ts";
import { downloadCheckpoint } from "../trainer/checkpoints/downloadCheckpoint.ts";
import { openOwnServer } from "../trainer/environments/ownServer.ts";
import { previewPrompt } from "../trainer/environments/previewPrompt.ts";
import { estimateBasis } from "../trainer/estimate/estimate.ts";
import { playTask } from "../trainer/play/playTask.ts";
import { testKey } from "../trainer/services/testKey.ts";
import {
  lookUpDeploymentLog,
  lookUpDifficulty,
  lookUpEnvironment,
  lookUpList,
} from "./catalogue/lookUps.ts";
import { serveCatalogue, type WindowCatalogue } from "./catalogue.ts";
import { serveChats } from "./chat.ts";
import { serveCheckpoints } from "./checkpoints.ts";
import { collectWhenIdle } from "./collectWhenIdle.ts";
import { serveEnvironments } from "./environments.ts";
import { serveEstimates } from "./estimate.ts";
import { serveExamples } from "./examples.ts";
import { serveKeys } from "./keys.ts";
import { serveLanguage } from "./languageServer.ts";
import type { OpenRequests, ServerOptions } from "./openRequests.ts";
import { serveOwnServers } from "./ownServers.ts";
import { servePlays } from "./play.ts";
import { servePrompts } from "./prompts.ts";
import { serveReports } from "./reports.ts";
import { serveRuns } from "./runs.ts";
import { serveTrajectories } from "./trajectories.ts";
import { servePages } from "./windowPages.ts";

const TRAINER = {
  previewPrompt,
  downloadCheckpoint,
  changeCheckpoints,
  openChat,
  playTask,
  openOwnServer,
  testKey,
  estimateBasis,
  lookUpList,
  lookUpEnvironment,
  lookUpDifficulty,
  lookUpDeploymentLog,
};
/** Requests that have not tidied up by then end with the process. */
const LEAVING_MS = 5_000;

/** Answers over `connection` until it ends. */
export function serve(
  options: ServerOptions,
  version: string,
  replaced: { readonly catalogue?: WindowCatalogue | undefined } = {},
): void {
  const { connection, requests } = options;
  const runs = serveRuns(options);
  const catalogue = replaced.catalogue ?? serveCatalogue(options, runs);
  serveLanguage(connection, version, catalogue, runs.store);
  servePrompts(options);
  serveCheckpoints(options);
  serveChats(options);
  servePlays(options);
  serveReports(options);
  serveKeys(options);
  serveEnvironments(options);
  serveOwnServers(options);
  serveEstimates(options);
  serveExamples(options);
  serveTrajectories(options, runs);
  servePages(options, runs);
  connection.onShutdown(async () => {
    await requests.close();
    runs.close();
  });
  connection.listen();
}

/** Serves the editor that started this process, until it leaves. */
export async function serveStandardStreams(
  { version, programFolder }: { readonly version: string; readonly programFolder: string },
  requests: OpenRequests,
): Promise<void> {
  const { stdin, stdout } = process;
  // Streams as such would end the process with the input, before requests have tidied up.
  const [reader, writer] = [new StreamMessageReader(stdin), new StreamMessageWriter(stdout)];
  const connection = createConnection(ProposedFeatures.all, reader, writer);
  const clock = systemClock;
  serve({ connection, trainer: TRAINER, requests, clock, programFolder }, version);
  collectWhenIdle();
  await once(stdin, "close");
  const late = new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  await Promise.race([requests.close(), late]);
}
