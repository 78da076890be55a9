/** Changes of a run's checkpoints at the service that trained it. */

import { AppError } from "../../core/errors.ts";
import { type CheckpointChange, changeStored } from "../../core/tinker/checkpointChange.ts";
import { hostIn } from "../keys/services.ts";
import { tinkerAddress } from "./addresses.ts";
import { accountOf, type LookUpOptions, limited } from "./connection.ts";

const LIMIT_MS = 10_000;

/** The service of a run. */
export interface ServiceOfRun {
  /** As its configuration names it; null = as the settings lead, or the official one. */
  readonly baseUrl: string | null;
  /** Asks the user whether a key that is bound to another host may go to this origin. */
  readonly mayGoTo: (origin: string) => Promise<boolean>;
}

/**
 * Changes a hosted checkpoint, or deletes it. @throws as `lookUpList`; `key-host-not-allowed`; `tinker-not-found` when it is
 * gone already
 */
export async function changeHostedCheckpoint(
  path: string,
  change: CheckpointChange,
  { baseUrl, mayGoTo }: ServiceOfRun,
  options: LookUpOptions,
): Promise<void> {
  const ofRun = baseUrl === null ? options : await at(baseUrl, mayGoTo, options);
  await limited(LIMIT_MS, ofRun, async (connection) => {
    const { account } = await accountOf(ofRun, connection);
    await changeStored(account, path, change);
  });
}

/** Leads to `baseUrl`, with the key if it may go there. */
async function at(
  baseUrl: string,
  mayGoTo: ServiceOfRun["mayGoTo"],
  options: LookUpOptions,
): Promise<LookUpOptions> {
  const values = { ...options.variables(), TINKER_BASE_URL: baseUrl };
  const host = hostIn("tinker", values);
  const key = await options.sources.valueFor("tinker");
  const isBound = key === null || key.host === host;
  // An address that is not safe leads nowhere, whatever the user says.
  if (!isBound && tinkerAddress(values) !== null && !(await mayGoTo(new URL(baseUrl).origin))) {
    throw new AppError(
      "key-host-not-allowed",
      `TINKER_API_KEY is not approved for ${new URL(baseUrl).origin}, where this run was trained. Run the command again to allow it.`,
    );
  }
  const allowed = key === null ? null : { ...key, host };
  return { ...options, variables: () => values, sources: { valueFor: async () => allowed } };
}
