/** What an editor of this package asks its server about environments of the user's own. */

import * as z from "zod";
import type { JsonObject } from "../core/json.ts";
import {
  ENVIRONMENT_TEMPLATES,
  type EnvironmentTemplateKind,
} from "../core/scaffold/environmentTemplates.ts";

export const ENVIRONMENT_REQUESTS = {
  /** A {@link NewEnvironmentRequest}, answered with the `RequestOutcome` of a {@link NewEnvironment}. */
  create: "tinkerRL/environment/create",
  /** A {@link PythonProject}, answered with the `RequestOutcome` of {@link ProgramWords} that make its virtual environment in turn. */
  venvSteps: "tinkerRL/environment/venvSteps",
} as const;

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
