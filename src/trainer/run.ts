/** A run from its configuration to its end: the order in which everything is put together. */

import { dirname } from "node:path";
import { tokenizerNameOf } from "../core/chat/modelName.ts";
import type { ModelTokenizer } from "../core/chat/tokenizer.ts";
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
import { loadListPrices } from "./listPrices.ts";
import { loadTokenizer } from "./loadTokenizer.ts";
import { type LostAttempt, type RecoveryCount, waitToReconnect } from "./recovery.ts";
import { RunAttempt } from "./runAttempt.ts";
import { recordFailure } from "./runEnding.ts";
import type { RunPlan, TrainerOptions } from "./runPlan.ts";
import { CleanupStack } from "./services/cleanupStack.ts";
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

/**
 * Runs the plan to its end, in a new attempt after each loss of its session or of an embedded service, `max_recoveries` times at most.
 * @throws AppError from any part, with the key or file at fault, cleaned of secrets
 */
export async function executeRun(trainer: TrainerOptions, plan: RunPlan): Promise<RunEnd> {
  let lost: LostAttempt | null = null;
  try {
    const limit = plan.loaded.config.max_recoveries;
    let current = plan;
    let tokenizer: Promise<ModelTokenizer> | null = null;
    const loadOnce = (load: () => Promise<ModelTokenizer>): Promise<ModelTokenizer> => {
      tokenizer ??= load();
      return tokenizer;
    };
    for (let made = 0; ; made += 1) {
      const recoveries = { made, limit };
      const end = await executeAttempt(trainer, current, { recoveries, lost, loadOnce });
      if (end.outcome !== "lost") return end;
      lost = end;
      trainer.control.recover();
      const settings = trainer.controlChannel?.settings ?? current.loaded;
      current = await current.recover(lost.lease.folder, settings);
    }
  } catch (error) {
    // Without effect once a later attempt has taken the folder over.
    if (lost !== null) await recordFailure(lost.lease, error, trainer);
    throw trainer.redactor.redactError(error);
  }
}

interface AttemptOptions {
  readonly recoveries: RecoveryCount;
  /** The attempt that this one recovers; null for the first. */
  readonly lost: LostAttempt | null;
  /** Loads the tokenizer for the first attempt, and hands the same one to those after it. */
  readonly loadOnce: (load: () => Promise<ModelTokenizer>) => Promise<ModelTokenizer>;
}

/** Opens services for one attempt, and closes them. Still lost, after a wait, when they could not be reached. */
async function executeAttempt(
  trainer: TrainerOptions,
  plan: RunPlan,
  options: AttemptOptions,
): Promise<RunEnd | LostAttempt> {
  const { recoveries, lost } = options;
  const services = new CleanupStack();
  try {
    return await runPlan(trainer, plan, { ...options, services });
  } catch (error) {
    if (lost === null) throw error;
    await waitToReconnect(error, lost, recoveries, trainer);
    return lost;
  } finally {
    await services.closeAll();
  }
}

async function runPlan(
  trainer: TrainerOptions,
  plan: RunPlan,
  { services, recoveries, lost, loadOnce }: AttemptOptions & { readonly services: CleanupStack },
): Promise<RunEnd | LostAttempt> {
  const { watch, redactor } = trainer;
  const { config, path, warnings } = plan.loaded;
  for (const message of warnings) watch({ kind: "warning", message });
  for (const secret of writtenSecrets(config)) redactor.learn(secret);
  for (const secret of proxyPasswords(process.env)) redactor.learn(secret);
  const variables = await loadVariables(dirname(path), trainer.launchRequest);
  const { programs, log, control, allowedOrigins = [] } = trainer;
  const { name: runName } = plan;
  const common = { config, variables, allowedOrigins, redactor };
  const trackers = await findTrackers(common);
  if (plan.isOver === true) return finishRun(trainer, plan, variables, trackers);
  const connections = { ...common, programs, log, cleanup: services, watch, control, runName };
  const { tinker, preparation } = await connectAndPrepare(connections, plan, loadOnce);
  const listPrices = await loadListPrices({
    config,
    address: tinker.service.address,
    folder: plan.folder,
    log,
    signal: control.signal,
  });
  const attempt = { trainer, plan, connections, trackers, tinker, preparation };
  return new RunAttempt({ ...attempt, recoveries, lost, listPrices }).run();
}

interface PreparedServices {
  readonly tinker: TinkerConnection;
  readonly preparation: Preparation;
}

/** Everything before a run has a folder; rejects with the reason of a stop. */
async function connectAndPrepare(
  connections: ConnectionOptions,
  { loaded: { path }, promptDate }: RunPlan,
  loadOnce: AttemptOptions["loadOnce"],
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
  const tokenizer = loadOnce(() =>
    loadTokenizer(tokenizerNameOf(config), programs, path, tokenizerOptions),
  );
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
