/** The service's bill for a run. */

import { isLocalModel } from "../../core/config/fields/presets.ts";
import { AppError, isAppError } from "../../core/errors.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { readRunModel } from "../../core/runFolder/runModel.ts";
import { runSessions } from "../../core/runFolder/runSessions.ts";
import type { BilledUsage } from "../../core/tinker/billing.ts";
import { systemClock } from "../../node/clock.ts";
import { requireNamedService } from "../config/requireNamed.ts";
import { CleanupStack } from "../services/cleanupStack.ts";
import { type AccountRequest, openHostedAccount } from "../services/hostedAccount.ts";

export interface BilledRunRequest extends Omit<AccountRequest, "tinkerBaseUrl"> {
  readonly runFolder: string;
}

/**
 * A run's sessions have no recorded end, so the bill is read up to now.
 * @throws AppError `no-bill`, `key-missing`, `key-host-not-allowed`, `key-not-encrypted`, `tinker-*`
 */
export async function billedRun(
  files: FolderFiles,
  { runFolder, ...request }: BilledRunRequest,
): Promise<BilledUsage> {
  const model = await readRunModel(files, runFolder);
  if (model !== null && isLocalModel(model.model_name)) {
    throw new AppError(
      "no-bill",
      `Nothing is billed for ${model.model_name}, which runs on this computer.`,
    );
  }
  const { ids, startedAtMs } = await runSessions(files, runFolder);
  if (ids.size === 0 || startedAtMs === null) {
    throw new AppError(
      "no-bill",
      `${runFolder} does not record the sessions of the run. See the bill in the Tinker console.`,
    );
  }
  await requireNamedService(model?.tinker_base_url ?? null, runFolder, request);
  const cleanup = new CleanupStack();
  try {
    const account = await openHostedAccount(
      { ...request, tinkerBaseUrl: model?.tinker_base_url ?? null },
      cleanup,
    );
    if (account.account === null) {
      throw new AppError(
        "key-missing",
        `Asking ${account.url} for its bill needs ${account.keyName}. Set it in the environment or in a .env file in this folder.`,
        { data: { name: account.keyName } },
      );
    }
    const period = { fromMs: startedAtMs, toMs: systemClock.now() };
    return await account.account.billed(ids, period);
  } catch (error) {
    throw isAppError(error, "tinker-auth", "tinker-not-found") ? withoutBill(error) : error;
  } finally {
    await cleanup.closeAll();
  }
}

function withoutBill(cause: AppError): AppError {
  const why =
    cause.code === "tinker-auth"
      ? "This key has no access to bills, which needs the role admin or billing."
      : "The service has no billing list.";
  return new AppError("no-bill", `${why} Omit --billed to see what the run counted.`, {
    cause,
  });
}
