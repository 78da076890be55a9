/** What an editor of this package and its server say to each other about names that services and this computer offer. */

import * as z from "zod";
import type { CatalogueLists } from "../core/config/editing/catalogue/catalogue.ts";
import {
  catalogueAddress,
  hostIn,
  safeAddress,
  type Values,
} from "../core/secrets/serviceHosts.ts";
import { SERVICES } from "../core/services.ts";
import { handedOver } from "../node/control/messages.ts";
import type { LaunchRequest } from "../shared/control.ts";

/** Requests that the server answers. */
export const CATALOGUE_REQUESTS = {
  /** An {@link EnvironmentsRequest}, answered with the `Listing` of hosted environments that is known, or null; asks no service. */
  environments: "tinkerRL/catalogue/environments",
  /** A {@link RefreshRequest}, answered with the `RequestOutcome` of null once its service has answered. Can be canceled. */
  refresh: "tinkerRL/catalogue/refresh",
  /**
   * A {@link DifficultyRequest}, answered with the `RequestOutcome` of the `TaskDifficulty` of each task that others have played: none where
   * the service does not know, or does not say it in time. Can be canceled.
   */
  difficulty: "tinkerRL/catalogue/difficulty",
  /** A {@link DeploymentLogRequest}, answered with the `RequestOutcome` of a text to read. Can be canceled. */
  deploymentLog: "tinkerRL/catalogue/deploymentLog",
} as const;

/** A request that the editor answers with a {@link CatalogueAccess} for a {@link CatalogueAccessRequest}, or null where no service may be asked. */
export const CATALOGUE_ACCESS = "tinkerRL/editor/catalogueAccess";

/** Sent by the server when the hosted environments may be others. */
export const CATALOGUE_CHANGED = "tinkerRL/catalogue/changed";

/** Sent by the editor: {@link KnownRuns} of its window, in place of those before. */
export const KNOWN_RUNS = "tinkerRL/editor/runs";

export type ListKind = keyof CatalogueLists;

/** What services are asked with: the keys that are bound to the addresses to which `variables` lead. */
export type CatalogueAccess = Pick<LaunchRequest, "keys" | "variables">;

export interface CatalogueAccessRequest {
  readonly wanted: readonly ListKind[];
}

export interface EnvironmentsRequest {
  readonly variables: Values;
}

export interface RefreshRequest {
  readonly access: CatalogueAccess;
  /** The hosted environment whose splits, tools and secrets are asked for; null for the list of all environments. */
  readonly environment: string | null;
}

export interface DifficultyRequest {
  readonly access: CatalogueAccess;
  /** A hosted one. */
  readonly environment: string;
  readonly split: string;
}

export interface DeploymentLogRequest {
  readonly access: CatalogueAccess;
  /** A hosted one. */
  readonly environment: string;
}

export interface KnownRuns {
  /** The newest first. */
  readonly runs: readonly CataloguedRun[];
}

export interface CataloguedRun {
  readonly folder: string;
  readonly name: string;
  readonly isLive: boolean;
  /** Completed steps. */
  readonly steps: number;
  readonly totalSteps: number | null;
  /** Null when it is unknown. */
  readonly configPath: string | null;
  readonly isEvaluation: boolean;
  /** Counts the attempts. */
  readonly generation: number | null;
}

/** The address of the server that would be asked for a list of this kind; null when there is none. */
export function serverOf(kind: ListKind, variables: Values): string | null {
  return kind === "environments" ? catalogueAddress(variables) : safeAddress("tinker", variables);
}

/** Null when the key is not set, or is bound to another host than the one that is used. */
export function boundKey(
  service: "tinker" | "openreward",
  { keys, variables }: CatalogueAccess,
): string | null {
  const key = keys[SERVICES[service].variable];
  return key !== undefined && key.host === hostIn(service, variables) ? key.value : null;
}

/** Whether a list of this kind can be asked for at all: Tinker answers no one without a key. */
export function canLookUp(kind: ListKind, access: CatalogueAccess): boolean {
  if (serverOf(kind, access.variables) === null) return false;
  return kind === "environments" || boundKey("tinker", access) !== null;
}

export const catalogueAccessSchema: z.ZodType<CatalogueAccess> = z
  .object({ keys: handedOver.keys, variables: handedOver.variables })
  .readonly();

export const environmentsRequestSchema: z.ZodType<EnvironmentsRequest> = z
  .object({ variables: handedOver.variables })
  .readonly();

export const refreshRequestSchema: z.ZodType<RefreshRequest> = z
  .object({ access: catalogueAccessSchema, environment: z.string().nullable() })
  .readonly();

export const difficultyRequestSchema: z.ZodType<DifficultyRequest> = z
  .object({ access: catalogueAccessSchema, environment: z.string(), split: z.string() })
  .readonly();

export const deploymentLogRequestSchema: z.ZodType<DeploymentLogRequest> = z
  .object({ access: catalogueAccessSchema, environment: z.string() })
  .readonly();

const count = z.number().int().nonnegative();

export const knownRunsSchema: z.ZodType<KnownRuns> = z
  .object({
    runs: z
      .array(
        z
          .object({
            folder: z.string(),
            name: z.string(),
            isLive: z.boolean(),
            steps: count,
            totalSteps: count.nullable(),
            configPath: z.string().nullable(),
            isEvaluation: z.boolean(),
            generation: z.number().nullable(),
          })
          .readonly(),
      )
      .readonly(),
  })
  .readonly();
