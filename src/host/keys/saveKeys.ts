/** Saves keys in the secret store or, after asking, in this window's memory. */

import * as vscode from "vscode";
import { isAppError } from "../../core/errors.ts";
import type { KeyId } from "./keyNames.ts";
import type { KeyStore } from "./keyStore.ts";
import type { KeyUi } from "./keyUi.ts";

export interface KeyToSave {
  readonly id: KeyId;
  readonly value: string;
  readonly host: string | null;
}

/** Where the keys are now; null if the secret store failed and the user declined the alternative. */
export async function saveKeys(
  keys: readonly KeyToSave[],
  { store, ui }: { readonly store: KeyStore; readonly ui: Pick<KeyUi, "pick"> },
): Promise<"store" | "session" | null> {
  let place: "store" | "session" = "store";
  for (const { id, value, host } of keys) {
    if (place === "store" && (await isStored(store, { id, value, host }))) continue;
    if (place === "store" && !(await wantsSession(ui))) return null;
    place = "session";
    store.setForSession(id, value, host);
  }
  return place;
}

async function isStored(store: KeyStore, { id, value, host }: KeyToSave): Promise<boolean> {
  try {
    await store.set(id, value, host);
    return true;
  } catch (error) {
    if (!isAppError(error, "key-store-unavailable")) throw error;
    return false;
  }
}

async function wantsSession(ui: Pick<KeyUi, "pick">): Promise<boolean> {
  const answer = await ui.pick({
    title: vscode.l10n.t("The secret store of the editor does not work"),
    placeholder: vscode.l10n.t(
      "On Linux it needs a keyring such as GNOME Keyring or KWallet. See Show Extension Log for the cause.",
    ),
    rows: [
      {
        value: true,
        label: vscode.l10n.t("Keep for This Session"),
        detail: vscode.l10n.t("Only in the memory of this window, until it is closed or reloaded."),
      },
      { value: false, label: vscode.l10n.t("Don't Keep") },
    ],
  });
  return answer === true;
}
