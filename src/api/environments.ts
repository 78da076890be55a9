/** What an editor of this package asks its server about environments of the user's own. */

import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import {
  ENVIRONMENT_TEMPLATES,
  type EnvironmentTemplateKind,
} from "../core/scaffold/environmentTemplates.ts";
import { launchRequestSchema } from "../node/control/messages.ts";
import type { LaunchRequest } from "../shared/control.ts";
import type { ReportsProgress } from "./requests.ts";

export const ENVIRONMENT_REQUESTS = {
  /** A {@link NewEnvironmentRequest}, answered with the `RequestOutcome` of a {@link NewEnvironment}. */
  create: "tinkerRL/environment/create",
  /** A {@link PythonProject}, answered with the `RequestOutcome` of {@link ProgramWords} that make its virtual environment in turn. */
  venvSteps: "tinkerRL/environment/venvSteps",
  /**
   * A {@link ServeEnvironmentRequest} lasts as long as the server of the environment: it reports each {@link OwnServerReport}, and is
   * answered with the `RequestOutcome` of null once the server has ended. Canceling it ends the server.
   */
  serve: "tinkerRL/environment/serve",
  /** An {@link OwnTasksRequest}, answered with the `RequestOutcome` of the beginnings of their prompts, null for one without. */
  tasks: "tinkerRL/environment/tasks",
  /** A {@link CodeRequest}, answered with the `RequestOutcome` of {@link EnvironmentCode}, null where no command starts a server. */
  code: "tinkerRL/environment/code",
} as const;

export interface CodeRequest {
  readonly configPath: string;
  /** `key=value` each. */
  readonly overrides: readonly string[];
  readonly environment: string;
}

/** The code of an environment's own server. */
export interface EnvironmentCode {
  /** Absolute. */
  readonly folder: string;
  /** SHA-256 over names and contents. */
  readonly digest: string;
}

/** Its `progressToken` names the server. */
export interface ServeEnvironmentRequest extends ReportsProgress {
  readonly launch: LaunchRequest;
  readonly environment: string;
}

export type OwnServerReport =
  /** Absolute: a change of a file in it calls for another start. */
  | { readonly kind: "code"; readonly folder: string }
  | { readonly kind: "log"; readonly text: string }
  | {
      readonly kind: "ready";
      readonly address: string;
      readonly splits: readonly { readonly name: string; readonly tasks: number }[];
    };

/** Tasks `start` up to `stop` of a split, counted from 0. */
export interface OwnTasksRequest {
  /** The `progressToken` of the request that serves it. */
  readonly server: string;
  readonly split: string;
  readonly start: number;
  readonly stop: number;
}

export interface NewEnvironmentRequest {
  readonly name: string;
  readonly template: EnvironmentTemplateKind;
  /** The folder of the configuration. */
  readonly folder: string;
}

/** Paths are relative to the folder of the configuration, with `/`. */
export interface PythonProject {
  /** `environments/NAME` */
  readonly folder: string;
  /** Of the virtual environment, which need not exist. */
  readonly python: string;
  /** Packages that it needs. */
  readonly requirements: readonly string[];
}

export interface NewEnvironment extends PythonProject {
  readonly name: string;
  /** Names in its folder. */
  readonly files: readonly string[];
  /** What goes into a configuration that is there. */
  readonly entry: JsonObject;
  /** A configuration for where there is none. */
  readonly config: string;
}

/** A program and its arguments, to be run without a shell in the folder of the configuration. */
export type ProgramWords = readonly [program: string, ...args: string[]];

export const newEnvironmentSchema: z.ZodType<NewEnvironmentRequest> = z
  .object({
    name: z.string(),
    template: z.enum(ENVIRONMENT_TEMPLATES.map(({ kind }) => kind)),
    folder: z.string(),
  })
  .readonly();

export const pythonProjectSchema: z.ZodType<PythonProject> = z
  .object({ folder: z.string(), python: z.string(), requirements: z.array(z.string()).readonly() })
  .readonly();

export const serveEnvironmentSchema: z.ZodType<ServeEnvironmentRequest> = z
  .object({ progressToken: z.string(), launch: launchRequestSchema, environment: z.string() })
  .readonly();

const taskIndex = z.number().int().nonnegative();

export const ownTasksSchema: z.ZodType<OwnTasksRequest> = z
  .object({ server: z.string(), split: z.string(), start: taskIndex, stop: taskIndex })
  .readonly();

export const codeSchema: z.ZodType<CodeRequest> = z
  .object({
    configPath: z.string(),
    overrides: z.array(z.string()).readonly(),
    environment: z.string(),
  })
  .readonly();
