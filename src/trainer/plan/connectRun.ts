/** Connects to the configured services and makes all checks that are free. */

import { dirname } from "node:path";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import type { ModelTokenizer } from "../../core/chat/tokenizer.ts";
import { isLocalModel } from "../../core/config/fields/presets.ts";
import { type Preparation, prepareRun } from "../../core/training/prepare.ts";
import type { Watcher } from "../../core/training/run/progress.ts";
import { raceAbort } from "../../core/util/abort.ts";
import { systemClock } from "../../node/clock.ts";
import { createFileSystem } from "../../node/fileSystem.ts";
import { sha256 } from "../../node/hash.ts";
import { systemRandom } from "../../node/random.ts";
import type { DownloadProgress } from "../../node/tokenizer/hubDownload.ts";
import { AgentHost } from "../agents/agentHost.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { loadExamples } from "../examples/loadExamples.ts";
import { loadTokenizer } from "../models/loadTokenizer.ts";
import { HUB_TOKEN } from "../models/tokenizerFolder.ts";
import type { CleanupStack } from "../services/cleanupStack.ts";
import {
  type ConnectionOptions,
  connectEnvironmentServices,
  connectModelService,
  type TinkerConnection,
} from "../services/connections.ts";
import { environmentSecrets, learnSecrets } from "../services/environmentSecrets.ts";
import { ServerOutput } from "../services/serverOutput.ts";
import { loadVariables } from "../services/variables.ts";
import type { RunPlan, TrainerOptions } from "./runPlan.ts";

/** Name of a run or evaluation, and the stack that closes its services. */
interface Connecting {
  readonly loaded: LoadedConfig;
  readonly runName: string;
  readonly services: CleanupStack;
}

/** Reports the configuration's warnings, and learns the secrets of configuration and process. */
export async function connectionOptions(
  trainer: TrainerOptions,
  { loaded, runName, services: cleanup }: Connecting,
): Promise<ConnectionOptions> {
  const { watch, redactor, programs, log, control, allowedOrigins = [] } = trainer;
  const { config, path, warnings } = loaded;
  for (const message of warnings) watch({ kind: "warning", message });
  learnSecrets(config, redactor);
  const variables = await loadVariables(dirname(path), trainer.launchRequest);
  const serverOutput = new ServerOutput(redactor);
  cleanup.add(() => serverOutput.close());
  const datasets = new Map<string, string>();
  const common = { config, configPath: path, datasets, variables, allowedOrigins, redactor };
  return { ...common, serverOutput, programs, log, cleanup, watch, control, runName };
}

/** Loads the tokenizer once for all callers. */
export type LoadOnce = (load: () => Promise<ModelTokenizer>) => Promise<ModelTokenizer>;

export interface PreparedServices {
  readonly tinker: TinkerConnection;
  readonly preparation: Preparation;
}

/** All preparation before a run has a folder; rejects with the reason of a stop. */
export async function connectAndPrepare(
  connections: ConnectionOptions,
  {
    loaded: { path },
    isNew,
    promptDate,
  }: Pick<RunPlan, "loaded" | "promptDate"> & Partial<Pick<RunPlan, "isNew">>,
  loadOnce: LoadOnce,
): Promise<PreparedServices> {
  const { config, variables, allowedOrigins, programs, redactor, watch } = connections;
  const { signal } = connections.control;
  watch({
    kind: "preparing",
    what: isLocalModel(config.model_name) ? "starting the embedded engine" : "connecting",
  });
  redactor.learn(variables(HUB_TOKEN)?.value ?? "");
  const tokenizerOptions = { signal, onProgress: downloads(watch), variables, allowedOrigins };
  // Reading the tokenizer takes longest, so it starts first. Its errors surface where it is awaited.
  const tokenizer = loadOnce(() =>
    loadTokenizer(tokenizerNameOf(config), programs, path, tokenizerOptions),
  );
  tokenizer.catch(() => undefined);
  const [tinker, environment] = await raceAbort(
    Promise.all([connectModelService(connections), connectEnvironmentServices(connections)]),
    signal,
  );
  const agents = new AgentHost({ ...connections, configPath: path, signal });
  const preparing = prepareRun({
    config,
    service: tinker.service,
    sha256,
    clock: systemClock,
    random: systemRandom,
    environment,
    isContinued: isNew === false,
    promptDate,
    loadModel: () => tokenizer,
    loadExamples: (chat) =>
      loadExamples({
        config,
        configPath: path,
        fileSystem: createFileSystem(),
        chat,
        onWarning: (message) => watch({ kind: "warning", message }),
      }),
    agentOf: (name) => agents.agentOf(name),
    secretsOf: (name) => environmentSecrets(config, name, { variables, redactor }),
    onPart: (what) => watch({ kind: "preparing", what }),
    onWarning: (message) => watch({ kind: "warning", message }),
  });
  return { tinker, preparation: await raceAbort(preparing, signal) };
}

/** Reports each file's download once. */
function downloads(watch: Watcher): (progress: DownloadProgress) => void {
  let current = "";
  return ({ file }) => {
    if (file === current) return;
    current = file;
    watch({ kind: "preparing", what: `downloading ${file}` });
  };
}
