/** Opens a task of a configuration without a model: its environment, and the chat format that a run would use. */

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
  /** Origins to which the user allows keys to be sent. */
  readonly allowedOrigins: readonly AllowedOrigin[];
  /** Null = the first environment that has the split. */
  readonly environment: string | null;
  /** Null = the first split of the environment. */
  readonly split: string | null;
  /** Index within the split, from 0. */
  readonly task: number;
  /** The editor's request; absent for a terminal. */
  readonly launchRequest?: LaunchRequest;
  /** Learns the secrets, so that errors printed elsewhere can be redacted. */
  readonly redactor?: Redactor;
  /** Folder of environments and model; default: next to the running program. */
  readonly programFolder?: string;
  /** Receives a short message when each stage begins. */
  readonly onPart: (what: string) => void;
  /** Cancels the operation with its reason. */
  readonly signal?: AbortSignal;
}

export interface OpenedTask extends SplitChoice {
  /** Reduced to the environment of the task. */
  readonly loaded: LoadedConfig;
  readonly variables: Variables;
  readonly serverOutput: ServerOutput;
  readonly remote: RemoteEnvironment;
  /** Index within the split, from 0. */
  readonly index: number;
  readonly chat: Chat;
  readonly settings: RolloutSettings;
  /** The agent that the configuration names for it; null = none. */
  readonly agent: Agent | null;
  /** Asks the environment's service for the results of others on the split's tasks. */
  readonly difficulties: () => Promise<readonly TaskDifficulty[]>;
  /** Warnings about the chat format for the user. */
  readonly warnings: readonly string[];
}

/** @throws AppError like a run that cannot start */
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

/** Only splits that the configuration names for training or evaluation. @throws AppError `no-such-split` */
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

/** The error for an unknown name; suggests the closest one or lists all. */
export function noSuch(
  kind: "environment" | "split",
  name: string,
  known: readonly string[],
): AppError {
  const near = nearestWord(name, known);
  const hint = near === null ? `It names ${known.join(", ")}.` : `Did you mean ${near}?`;
  return new AppError(`no-such-${kind}`, `The configuration has no ${kind} ${name}. ${hint}`);
}
