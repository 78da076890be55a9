/** Which models the hosted service trains, by its own list where there is a key for it. */

import type { SupportedModel } from "../../core/tinker/serviceClient.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { type AccountRequest, openHostedAccount } from "../services/hostedAccount.ts";

export interface OfferedModels {
  /** Address of the service. */
  readonly url: string;
  /** Variable that holds the key. */
  readonly keyName: string;
  /** Whether the service was asked. */
  readonly hasKey: boolean;
  /** Those that can be trained; null without a key, and from a service that does not list them. */
  readonly models: readonly SupportedModel[] | null;
}

/** @throws AppError `key-host-not-allowed`, `key-not-encrypted`, `tinker-*` */
export async function listModels(request: AccountRequest): Promise<OfferedModels> {
  const cleanup = new CleanupStack();
  try {
    const { account, url, keyName } = await openHostedAccount(request, cleanup);
    const models = account === null ? null : await account.models();
    return {
      url,
      keyName,
      hasKey: account !== null,
      models: models?.filter(({ isTrainable }) => isTrainable) ?? null,
    };
  } finally {
    await cleanup.closeAll();
  }
}
