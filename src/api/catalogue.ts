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

export type ListKind = keyof CatalogueLists;

export interface CatalogueAccessRequest {
  readonly wanted: readonly ListKind[];
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

export const catalogueAccessSchema = z
  .object({ keys: handedOver.keys, variables: handedOver.variables })
  .readonly();

/** What services are asked with: the keys that are bound to the addresses to which `variables` lead. */
export type CatalogueAccess = z.infer<typeof catalogueAccessSchema>;

export const environmentsRequestSchema = z.object({ variables: handedOver.variables }).readonly();

export type EnvironmentsRequest = z.infer<typeof environmentsRequestSchema>;

export const refreshRequestSchema = z
  .object({
    access: catalogueAccessSchema,
    /** The hosted environment whose splits, tools and secrets are asked for; null for the list of all environments. */
    environment: z.string().nullable(),
  })
  .readonly();

export type RefreshRequest = z.infer<typeof refreshRequestSchema>;

const hosted = { access: catalogueAccessSchema, environment: z.string() };

export const difficultyRequestSchema = z.object({ ...hosted, split: z.string() }).readonly();

export type DifficultyRequest = z.infer<typeof difficultyRequestSchema>;

export const deploymentLogRequestSchema = z.object(hosted).readonly();

export type DeploymentLogRequest = z.infer<typeof deploymentLogRequestSchema>;
