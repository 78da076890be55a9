/** What an editor of this package asks its server about environments of the user's own. */

import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { ENVIRONMENT_TEMPLATES } from "../core/scaffold/environmentTemplates.ts";
import { launchRequestSchema } from "../node/control/messages.ts";

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

/** The code of an environment's own server. */
export interface EnvironmentCode {
  /** Absolute. */
  readonly folder: string;
  /** SHA-256 over names and contents. */
  readonly digest: string;
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

export const newEnvironmentSchema = z
  .object({
    name: z.string(),
    template: z.enum(ENVIRONMENT_TEMPLATES.map(({ kind }) => kind)),
    /** The folder of the configuration. */
    folder: z.string(),
  })
  .readonly();

export type NewEnvironmentRequest = z.infer<typeof newEnvironmentSchema>;

/** Paths are relative to the folder of the configuration, with `/`. */
export const pythonProjectSchema = z
  .object({
    /** `environments/NAME` */
    folder: z.string(),
    /** Of the virtual environment, which need not exist. */
    python: z.string(),
    /** Packages that it needs. */
    requirements: z.array(z.string()).readonly(),
  })
  .readonly();

export type PythonProject = z.infer<typeof pythonProjectSchema>;

/** Its `progressToken` names the server. */
export const serveEnvironmentSchema = z
  .object({ progressToken: z.string(), launch: launchRequestSchema, environment: z.string() })
  .readonly();

export type ServeEnvironmentRequest = z.infer<typeof serveEnvironmentSchema>;

const taskIndex = z.number().int().nonnegative();

/** Tasks `start` up to `stop` of a split, counted from 0, of the server that the request with the `progressToken` `server` serves. */
export const ownTasksSchema = z
  .object({ server: z.string(), split: z.string(), start: taskIndex, stop: taskIndex })
  .readonly();

export type OwnTasksRequest = z.infer<typeof ownTasksSchema>;

export const codeSchema = z
  .object({
    configPath: z.string(),
    /** `key=value` each. */
    overrides: z.array(z.string()).readonly(),
    environment: z.string(),
  })
  .readonly();

export type CodeRequest = z.infer<typeof codeSchema>;
