/** Requests from this extension to its server about the user's own environments. */

import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import { ENVIRONMENT_TEMPLATES } from "../core/scaffold/environmentTemplates.ts";
import { launchRequestSchema } from "../node/control/messages.ts";

export const ENVIRONMENT_REQUESTS = {
  /** A {@link NewEnvironmentRequest}, answered with the `RequestOutcome` of a {@link NewEnvironment}. */
  create: "tinkerRL/environment/create",
  /**
   * A {@link PythonProject}, answered with the `RequestOutcome` of the {@link ProgramWords} that create its virtual environment, in order.
   */
  venvSteps: "tinkerRL/environment/venvSteps",
  /**
   * A {@link ServeEnvironmentRequest} lives as long as the environment's server: it reports each {@link OwnServerReport}, and is answered
   * with the `RequestOutcome` of null once the server has stopped. Canceling it stops the server.
   */
  serve: "tinkerRL/environment/serve",
  /** An {@link OwnTasksRequest}, answered with the `RequestOutcome` of the beginning of each task's prompt, null for a task without one. */
  tasks: "tinkerRL/environment/tasks",
  /** A {@link CodeRequest}, answered with the `RequestOutcome` of {@link EnvironmentCode}, null where no command starts a server. */
  code: "tinkerRL/environment/code",
} as const;

/** The code of a locally served environment. */
export interface EnvironmentCode {
  /** Absolute. */
  readonly folder: string;
  /** SHA-256 over names and contents. */
  readonly digest: string;
}

export type OwnServerReport =
  /** Absolute path of the code folder: a file change in it requires a restart. */
  | { readonly kind: "code"; readonly folder: string }
  | { readonly kind: "log"; readonly text: string }
  | {
      readonly kind: "ready";
      readonly address: string;
      readonly splits: readonly { readonly name: string; readonly tasks: number }[];
    };

export interface NewEnvironment extends PythonProject {
  readonly name: string;
  /** File names in its folder. */
  readonly files: readonly string[];
  /** What to insert into an existing configuration. */
  readonly entry: JsonObject;
  /** A complete configuration, if there is none yet. */
  readonly config: string;
}

/** A program and its arguments, run without a shell in the configuration's folder. */
export type ProgramWords = readonly [program: string, ...args: string[]];

export const newEnvironmentSchema = z
  .object({
    name: z.string(),
    template: z.enum(ENVIRONMENT_TEMPLATES.map(({ kind }) => kind)),
    /** The configuration's folder. */
    folder: z.string(),
  })
  .readonly();

export type NewEnvironmentRequest = z.infer<typeof newEnvironmentSchema>;

/** Paths are relative to the configuration's folder, with `/`. */
export const pythonProjectSchema = z
  .object({
    /** `environments/NAME` */
    folder: z.string(),
    /** Python of the virtual environment, which does not need to exist. */
    python: z.string(),
    /** Required packages. */
    requirements: z.array(z.string()).readonly(),
  })
  .readonly();

export type PythonProject = z.infer<typeof pythonProjectSchema>;

/** Its `progressToken` identifies the server. */
export const serveEnvironmentSchema = z
  .object({ progressToken: z.string(), launch: launchRequestSchema, environment: z.string() })
  .readonly();

export type ServeEnvironmentRequest = z.infer<typeof serveEnvironmentSchema>;

const taskIndex = z.number().int().nonnegative();

/** Tasks `start` (inclusive) to `stop` (exclusive) of a split, from 0; `server` is the `progressToken` of the request that serves them. */
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
