/** Lists the models that the hosted service can train, using its own list if there is a key. */

import type { SupportedModel } from "../../core/tinker/serviceClient.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { type AccountRequest, openHostedAccount } from "../services/hostedAccount.ts";

export interface OfferedModels {
  /** Address of the service. */
  readonly url: string;
  /** Variable that holds the key. */
  readonly keyName: string;
  /** True if the service was asked. */
  readonly hasKey: boolean;
  /** Trainable models; null without a key or if the service does not list them. */
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
