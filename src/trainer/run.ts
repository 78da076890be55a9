/** One attempt at a run, from its configuration to its end: the order in which everything is put together. */

import { dirname } from "node:path";
import { tokenizerNameOf } from "../core/chat/modelName.ts";
import { isLocalModel } from "../core/config/presets.ts";
import { resolveSecrets } from "../core/secrets/resolve.ts";
import { type Preparation, prepareRun } from "../core/training/prepare.ts";
import type { Watcher } from "../core/training/progress.ts";
import { raceAbort } from "../core/util/abort.ts";
import { systemClock } from "../node/clock.ts";
import { sha256 } from "../node/hash.ts";
import { proxyPasswords } from "../node/proxyPasswords.ts";
import { systemRandom } from "../node/random.ts";
import type { DownloadProgress } from "../node/tokenizer/hubDownload.ts";
import { writtenSecrets } from "./config/configFiles.ts";
import { finishRun } from "./finishRun.ts";
import { loadTokenizer } from "./loadTokenizer.ts";
import { RunAttempt } from "./runAttempt.ts";
import type { RunPlan, TrainerOptions } from "./runPlan.ts";
import {
  type ConnectionOptions,
  connectEnvironmentServices,
  connectModelService,
  type TinkerConnection,
} from "./services/connections.ts";
import { loadVariables } from "./services/variables.ts";
import { HUB_TOKEN } from "./tokenizerFolder.ts";
import { findTrackers } from "./tracking/trackers.ts";
import type { RunEnd } from "./types.ts";

/** Runs the plan to its end. @throws AppError from any part, with the key or file at fault, cleaned of secrets */
export async function executeRun(trainer: TrainerOptions, plan: RunPlan): Promise<RunEnd> {
  try {
    return await runPlan(trainer, plan);
  } catch (error) {
    throw trainer.redactor.redactError(error);
  }
}

async function runPlan(trainer: TrainerOptions, plan: RunPlan): Promise<RunEnd> {
  const { watch, redactor } = trainer;
  const { config, path, warnings } = plan.loaded;
  for (const message of warnings) watch({ kind: "warning", message });
  for (const secret of writtenSecrets(config)) redactor.learn(secret);
  for (const secret of proxyPasswords(process.env)) redactor.learn(secret);
  const variables = await loadVariables(dirname(path), trainer.launchRequest);
  const { programs, log, cleanup, control, allowedOrigins = [] } = trainer;
  const { name: runName } = plan;
  const common = { config, variables, allowedOrigins, redactor };
  const trackers = await findTrackers(common);
  if (plan.isOver === true) return finishRun(trainer, plan, variables, trackers);
  const connections = { ...common, programs, log, cleanup, watch, control, runName };
  const { tinker, preparation } = await connectAndPrepare(connections, plan);
  return new RunAttempt({ trainer, plan, connections, trackers, tinker, preparation }).run();
}

interface PreparedServices {
  readonly tinker: TinkerConnection;
  readonly preparation: Preparation;
}

/** Everything before a run has a folder; rejects with the reason of a stop. */
async function connectAndPrepare(
  connections: ConnectionOptions,
  { loaded: { path }, promptDate }: RunPlan,
): Promise<PreparedServices> {
  const { config, variables, allowedOrigins, programs, redactor, watch } = connections;
  const { signal } = connections.control;
  watch({
    kind: "preparing",
    what: isLocalModel(config.model_name) ? "starting the embedded engine" : "connecting",
  });
  redactor.learn(variables(HUB_TOKEN)?.value ?? "");
  const tokenizerOptions = { signal, onProgress: downloads(watch), variables, allowedOrigins };
  // Reading the tokenizer takes longest of all preparation, so it begins first. Its failure surfaces where it is awaited.
  const tokenizer = loadTokenizer(tokenizerNameOf(config), programs, path, tokenizerOptions);
  tokenizer.catch(() => undefined);
  const [tinker, environment] = await raceAbort(
    Promise.all([connectModelService(connections), connectEnvironmentServices(connections)]),
    signal,
  );
  const preparing = prepareRun({
    config,
    service: tinker.service,
    sha256,
    clock: systemClock,
    random: systemRandom,
    environment,
    promptDate,
    loadModel: () => tokenizer,
    secretsOf: (name) =>
      resolveSecrets({
        environment: name,
        environmentSecrets: config.environments[name]?.secrets ?? null,
        globalSecrets: config.secrets,
        lookUp: async (key) => variables(key)?.value ?? null,
        redactor,
      }),
    onPart: (what) => watch({ kind: "preparing", what }),
    onWarning: (message) => watch({ kind: "warning", message }),
  });
  return { tinker, preparation: await raceAbort(preparing, signal) };
}

/** Reports once for each file that it is being downloaded. */
function downloads(watch: Watcher): (progress: DownloadProgress) => void {
  let current = "";
  return ({ file }) => {
    if (file === current) return;
    current = file;
    watch({ kind: "preparing", what: `downloading ${file}` });
  };
}
