/** Opens one task of a configuration without a model: its environment, and the chat format in which a run would play it. */

import type { Agent } from "../../core/agents/agent.ts";
import type { Chat } from "../../core/chat/chat.ts";
import { tokenizerNameOf } from "../../core/chat/modelName.ts";
import { createRenderer } from "../../core/chat/setup/createRenderer.ts";
import type { Config } from "../../core/config/fields/schema.ts";
import {
  environmentConfig,
  type SplitChoice,
  taskChoices,
  withOnlyEnvironment,
} from "../../core/config/taskChoices.ts";
import { AppError } from "../../core/errors.ts";
import type { TaskDifficulty } from "../../core/openreward/catalogue.ts";
import type { RemoteEnvironment } from "../../core/openreward/types.ts";
import type { FileSystem } from "../../core/ports.ts";
import { type RolloutSettings, rolloutSettings } from "../../core/rollout/settings.ts";
import type { AllowedOrigin } from "../../core/secrets/hostBinding.ts";
import type { Redactor } from "../../core/secrets/redaction/redactor.ts";
import { systemClock } from "../../node/clock.ts";
import { startConfig } from "../../node/startConfig.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { nearestWord } from "../../shared/editDistance.ts";
import { AgentHost } from "../agents/agentHost.ts";
import type { LoadedConfig } from "../config/configFiles.ts";
import { loadNamed } from "../config/requireNamed.ts";
import { loadTokenizer } from "../models/loadTokenizer.ts";
import { HUB_TOKEN } from "../models/tokenizerFolder.ts";
import { connectEnvironmentServices } from "../services/connections.ts";
import { environmentSecrets } from "../services/environmentSecrets.ts";
import { connectionsOf, type Surroundings } from "../services/outsideOfRuns.ts";
import type { ServerOutput } from "../services/serverOutput.ts";
import type { Variables } from "../services/variables.ts";
import { knownDifficulties } from "./knownDifficulty.ts";

export interface TaskRequest {
  readonly configPath: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  /** Where keys may go by the user's word. */
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** Null = the first one of the configuration that has the split. */
  readonly environment: string | null;
  /** Null = the first one of the environment. */
  readonly split: string | null;
  /** Counted in the split, from 0. */
  readonly task: number;
  /** What an editor handed over; absent for a terminal. */
  readonly launchRequest?: LaunchRequest;
  /** Learns the secrets, so that errors which are printed elsewhere can be redacted. */
  readonly redactor?: Redactor;
  /** Where environments and model lie; default: beside the running program. */
  readonly programFolder?: string;
  /** Called with a sentence for people as each part begins. */
  readonly onPart: (what: string) => void;
  /** Ends it, with its reason as the error. */
  readonly signal?: AbortSignal;
}

export interface OpenedTask extends SplitChoice {
  /** With the environment of the task only. */
  readonly loaded: LoadedConfig;
  readonly variables: Variables;
  readonly serverOutput: ServerOutput;
  readonly remote: RemoteEnvironment;
  /** Counted in the split, from 0. */
  readonly index: number;
  readonly chat: Chat;
  readonly settings: RolloutSettings;
  /** What the configuration names to play it; null = none. */
  readonly agent: Agent | null;
  /** Asks the service of the environment how others fared in the tasks of the split. */
  readonly difficulties: () => Promise<readonly TaskDifficulty[]>;
  /** Of the chat format, for people. */
  readonly warnings: readonly string[];
}

/** @throws AppError as a run does that cannot begin */
export async function openTaskOf(
  fileSystem: FileSystem,
  request: TaskRequest,
  surroundings: Surroundings,
): Promise<OpenedTask> {
  const { overrides, onPart } = request;
  const { redactor } = surroundings;
  const { signal } = surroundings.control;
  const start = await startConfig(fileSystem, { configPath: request.configPath, overrides });
  const loaded = await loadNamed(start, request);
  const { environment: name, split } = chooseTasks(loaded.config, request);
  const config = withOnlyEnvironment(loaded.config, name, { keepsAgent: true });
  const own = { config, configPath: loaded.path, runName: "one task" };
  const connections = await connectionsOf(request, { ...own, ...surroundings });
  const { variables, allowedOrigins, programs, serverOutput } = connections;
  redactor.learn(variables(HUB_TOKEN)?.value ?? "");
  onPart(`loading the tokenizer, and asking ${name} for a task`);
  const [model, connect] = await Promise.all([
    loadTokenizer(tokenizerNameOf(config), programs, loaded.path, {
      variables,
      allowedOrigins,
      signal,
    }),
    connectEnvironmentServices(connections),
  ]);
  const date = new Date(systemClock.now()).toISOString().slice(0, 10);
  const { renderer, images, warnings } = createRenderer({ model, config, date });
  const secrets = await environmentSecrets(config, name, { variables, redactor });
  const agents = new AgentHost({ ...connections, signal });
  return {
    loaded: { ...loaded, config },
    variables,
    serverOutput,
    remote: connect(name),
    environment: name,
    split,
    index: request.task,
    chat: { renderer, tokenizer: model.tokenizer, images },
    settings: rolloutSettings(config, environmentConfig(config, name), {
      maxContext: null,
      secrets,
    }),
    agent: agents.agentOf(name),
    difficulties: () =>
      knownDifficulties(
        { config, variables, allowedOrigins, redactor, signal },
        { environment: name, split },
      ),
    warnings,
  };
}

/** Tasks are those that a run would play: of splits that the configuration names, for training or evaluation. @throws AppError `no-such-split` */
function chooseTasks(
  config: Config,
  { environment, split }: Pick<TaskRequest, "environment" | "split">,
): SplitChoice {
  const all = taskChoices(config);
  const ofEnvironment = all.filter(
    (choice) => environment === null || choice.environment === environment,
  );
  if (ofEnvironment.length === 0) {
    const names = [...new Set(all.map((choice) => choice.environment))];
    throw noSuch("environment", environment ?? "", names);
  }
  const found = ofEnvironment.find((choice) => split === null || choice.split === split);
  if (found !== undefined) return found;
  const splits = [...new Set(ofEnvironment.map((choice) => choice.split))];
  throw noSuch("split", split ?? "", splits);
}

/** With the name that was meant, or those that there are. */
export function noSuch(
  kind: "environment" | "split",
  name: string,
  known: readonly string[],
): AppError {
  const near = nearestWord(name, known);
  const hint = near === null ? `It names ${known.join(", ")}.` : `Did you mean ${near}?`;
  return new AppError(`no-such-${kind}`, `The configuration has no ${kind} ${name}. ${hint}`);
}
