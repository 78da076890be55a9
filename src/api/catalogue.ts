/** Requests between this extension and its server about names offered by services and this computer. */

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

/** Requests to the server. */
export const CATALOGUE_REQUESTS = {
  /** An {@link EnvironmentsRequest}, answered with the known `Listing` of hosted environments, or null; contacts no service. */
  environments: "tinkerRL/catalogue/environments",
  /** A {@link RefreshRequest}, answered with the `RequestOutcome` of null once the service has answered. Cancelable. */
  refresh: "tinkerRL/catalogue/refresh",
  /**
   * A {@link DifficultyRequest}, answered with the `RequestOutcome` of a `TaskDifficulty` per task that others have played; empty if the
   * service does not know, or does not answer in time. Cancelable.
   */
  difficulty: "tinkerRL/catalogue/difficulty",
  /** A {@link DeploymentLogRequest}, answered with the `RequestOutcome` of readable text. Cancelable. */
  deploymentLog: "tinkerRL/catalogue/deploymentLog",
} as const;

/** A {@link CatalogueAccessRequest} to the editor, answered with a {@link CatalogueAccess}, or null if no service may be contacted. */
export const CATALOGUE_ACCESS = "tinkerRL/editor/catalogueAccess";

/** Sent by the server when hosted environments may have changed. */
export const CATALOGUE_CHANGED = "tinkerRL/catalogue/changed";

export type ListKind = keyof CatalogueLists;

export interface CatalogueAccessRequest {
  readonly wanted: readonly ListKind[];
}

/** Address of the server for a list of this kind; null if there is none. */
export function serverOf(kind: ListKind, variables: Values): string | null {
  return kind === "environments" ? catalogueAddress(variables) : safeAddress("tinker", variables);
}

/** The key for the service in use; null if it is not set, or bound to a different host. */
export function boundKey(
  service: "tinker" | "openreward",
  { keys, variables }: CatalogueAccess,
): string | null {
  const key = keys[SERVICES[service].variable];
  return key !== undefined && key.host === hostIn(service, variables) ? key.value : null;
}

/** Whether a list of this kind can be fetched at all: Tinker requires a key. */
export function canLookUp(kind: ListKind, access: CatalogueAccess): boolean {
  if (serverOf(kind, access.variables) === null) return false;
  return kind === "environments" || boundKey("tinker", access) !== null;
}

export const catalogueAccessSchema = z
  .object({ keys: handedOver.keys, variables: handedOver.variables })
  .readonly();

/** Credentials for services: the keys bound to the addresses that `variables` select. */
export type CatalogueAccess = z.infer<typeof catalogueAccessSchema>;

export const environmentsRequestSchema = z.object({ variables: handedOver.variables }).readonly();

export type EnvironmentsRequest = z.infer<typeof environmentsRequestSchema>;

export const refreshRequestSchema = z
  .object({
    access: catalogueAccessSchema,
    /** The hosted environment whose splits, tools and secrets to fetch; null for the list of all environments. */
    environment: z.string().nullable(),
  })
  .readonly();

export type RefreshRequest = z.infer<typeof refreshRequestSchema>;

const hosted = { access: catalogueAccessSchema, environment: z.string() };

export const difficultyRequestSchema = z.object({ ...hosted, split: z.string() }).readonly();

export type DifficultyRequest = z.infer<typeof difficultyRequestSchema>;

export const deploymentLogRequestSchema = z.object(hosted).readonly();

export type DeploymentLogRequest = z.infer<typeof deploymentLogRequestSchema>;
