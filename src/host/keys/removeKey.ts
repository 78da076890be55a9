/** Removes a key from the secret store. */

import * as vscode from "vscode";
import { isAppError } from "../../core/errors.ts";
import { type KeyId, variableOf } from "./keyNames.ts";
import type { KeyStore } from "./keyStore.ts";
import { keyLabel } from "./keyTexts.ts";
import type { KeyUi } from "./keyUi.ts";

export interface RemoveKeyOptions {
  readonly store: KeyStore;
  readonly ui: KeyUi;
}

/** Asks which key unless `id` is given, and for confirmation. */
export async function removeKey(options: RemoveKeyOptions, id?: KeyId): Promise<void> {
  const { store, ui } = options;
  const chosen = id ?? (await chooseStored(options));
  if (chosen === undefined) return;
  const name = variableOf(chosen);
  const isMeant = await ui.confirm(
    vscode.l10n.t("Remove {0}?", name),
    vscode.l10n.t("It is removed only here. At the service it remains valid."),
    vscode.l10n.t("Remove"),
  );
  if (!isMeant) return;
  try {
    await store.remove(chosen);
    ui.showMessage(vscode.l10n.t("{0} is removed.", name));
  } catch (error) {
    if (!isAppError(error, "key-store-unavailable")) throw error;
    const message = vscode.l10n.t(
      "{0} could not be removed: the secret store of the editor does not work. See Show Extension Log for the cause.",
      name,
    );
    await ui.notify(message, []);
  }
}

async function chooseStored({ store, ui }: RemoveKeyOptions): Promise<KeyId | undefined> {
  const facts = await store.list();
  if (facts.length === 0) {
    ui.showMessage(vscode.l10n.t("No keys are stored."));
    return undefined;
  }
  return await ui.pick({
    title: vscode.l10n.t("Remove API Key"),
    placeholder: vscode.l10n.t("Which key?"),
    rows: facts.map(({ id }) => ({ value: id, label: keyLabel(id) })),
  });
}
