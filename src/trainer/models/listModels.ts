/** Which models the hosted service trains, by its own list where there is a key for it. */

import type { SupportedModel } from "../../core/tinker/serviceClient.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { type AccountRequest, openHostedAccount } from "../services/hostedAccount.ts";

export interface OfferedModels {
  /** Address of the service. */
  readonly url: string;
  /** Variable that holds the key. */
  readonly keyName: string;
  /** Those that can be trained; null without a key. */
  readonly models: readonly SupportedModel[] | null;
}

/** @throws AppError `key-host-not-allowed`, `key-not-encrypted`, `tinker-*` */
export async function listModels(request: AccountRequest): Promise<OfferedModels> {
  const cleanup = new CleanupStack();
  try {
    const { account, url, keyName } = await openHostedAccount(request, cleanup);
    const models = account === null ? null : await account.models();
    return { url, keyName, models: models?.filter(({ isTrainable }) => isTrainable) ?? null };
  } finally {
    await cleanup.closeAll();
  }
}
