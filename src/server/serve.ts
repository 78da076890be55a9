/** Registers everything that the server answers. */

import {
  createConnection,
  ProposedFeatures,
  StreamMessageReader,
  StreamMessageWriter,
} from "vscode-languageserver/node";
import { systemClock } from "../node/clock.ts";
import { inputEnd } from "../node/inputEnd.ts";
import { serveCatalogue, type WindowCatalogue } from "./catalogue.ts";
import { serveChats } from "./chat.ts";
import { serveCheckpoints } from "./checkpoints.ts";
import { collectWhenIdle } from "./collectWhenIdle.ts";
import { serveEnvironments } from "./environments.ts";
import { serveEstimates } from "./estimate.ts";
import { serveExamples } from "./examples.ts";
import { serveKeys } from "./keys.ts";
import { serveLanguage } from "./languageServer.ts";
import type { OpenRequests, ServerOptions, TrainerFunctions } from "./openRequests.ts";
import { serveOwnServers } from "./ownServers.ts";
import { servePlays } from "./play.ts";
import { servePrompts } from "./prompts.ts";
import { serveReports } from "./reports.ts";
import { serveRuns } from "./runs.ts";
import { serveTrajectories } from "./trajectories.ts";
import { servePages } from "./windowPages.ts";

/** Loaded on first use: most windows need only a few of them. */
const TRAINER: TrainerFunctions = {
  previewPrompt: async (...of) =>
    (await import("../trainer/environments/previewPrompt.ts")).previewPrompt(...of),
  downloadCheckpoint: async (...of) =>
    (await import("../trainer/checkpoints/downloadCheckpoint.ts")).downloadCheckpoint(...of),
  changeCheckpoints: async function* (...of) {
    const { changeCheckpoints } = await import("../trainer/checkpoints/changeCheckpoints.ts");
    yield* changeCheckpoints(...of);
  },
  openChat: async (...of) => (await import("../trainer/chat/openChat.ts")).openChat(...of),
  playTask: async (...of) => (await import("../trainer/play/playTask.ts")).playTask(...of),
  openOwnServer: async (...of) =>
    (await import("../trainer/environments/ownServer.ts")).openOwnServer(...of),
  testKey: async (...of) => (await import("../trainer/services/testKey.ts")).testKey(...of),
  estimateBasis: async (...of) =>
    (await import("../trainer/estimate/estimateBasis.ts")).estimateBasis(...of),
  lookUpList: async (...of) => (await import("./catalogue/lookUps.ts")).lookUpList(...of),
  lookUpEnvironment: async (...of) =>
    (await import("./catalogue/lookUps.ts")).lookUpEnvironment(...of),
  lookUpDifficulty: async (...of) =>
    (await import("./catalogue/lookUps.ts")).lookUpDifficulty(...of),
  lookUpDeploymentLog: async (...of) =>
    (await import("./catalogue/lookUps.ts")).lookUpDeploymentLog(...of),
};
/** Time for requests to clean up before the process exits. */
const LEAVING_MS = 5_000;

/** Serves `connection` until it closes. */
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

/** Serves the editor that started this process until it disconnects. */
export async function serveStandardStreams(
  { version, programFolder }: { readonly version: string; readonly programFolder: string },
  requests: OpenRequests,
): Promise<void> {
  const { stdin, stdout } = process;
  // Plain streams would end the process when the input closes, before requests have cleaned up.
  const [reader, writer] = [new StreamMessageReader(stdin), new StreamMessageWriter(stdout)];
  const connection = createConnection(ProposedFeatures.all, reader, writer);
  const clock = systemClock;
  const collectNext = collectWhenIdle();
  serve({ connection, trainer: TRAINER, requests, clock, programFolder, collectNext }, version);
  await inputEnd();
  const late = new Promise((resolve) => setTimeout(resolve, LEAVING_MS));
  await Promise.race([requests.close(), late]);
}
