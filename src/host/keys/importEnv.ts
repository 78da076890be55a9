/** Moves keys from a `.env` file to the secret store. */

import * as vscode from "vscode";
import { hostIn } from "../../core/secrets/serviceHosts.ts";
import { plainLabel } from "../../core/util/plainText.ts";
import { readEnv } from "./envFile.ts";
import { type FormatHint, judgeFormat } from "./keyFormat.ts";
import { isServiceId, type KeyId, keyIdOf } from "./keyNames.ts";
import type { KeyStore } from "./keyStore.ts";
import { hintText } from "./keyTexts.ts";
import type { KeyUi, PickRow } from "./keyUi.ts";
import { saveKeys } from "./saveKeys.ts";
import type { EnvFiles } from "./workspaceEnvFiles.ts";

export interface ImportOptions {
  readonly store: KeyStore;
  readonly ui: KeyUi;
  readonly files: Pick<EnvFiles, "list" | "read" | "commentOut">;
}

interface EnvKey {
  readonly id: KeyId;
  /** As spelled in the file. */
  readonly name: string;
  readonly value: string;
  readonly host: string | null;
  readonly hint: FormatHint | null;
}

/** Asks which file and which names; `target` is the configuration that the command was called on, or nothing. */
export async function importEnv(options: ImportOptions, target: unknown): Promise<void> {
  const { ui, files } = options;
  if (!vscode.workspace.isTrusted) {
    ui.showMessage(vscode.l10n.t("Keys are not read from files in Restricted Mode."));
    return;
  }
  const path = await chooseFile(options, target);
  if (path === undefined) return;
  const text = await files.read(path);
  const found = text === null ? [] : keysIn(text, options);
  if (found.length === 0) {
    ui.showMessage(vscode.l10n.t("{0} contains no keys.", plainLabel(path)));
    return;
  }
  const chosen = await chooseKeys(options, path, found);
  if (chosen === undefined || chosen.length === 0) return;
  const afterwards = await chooseLines(ui, path);
  if (afterwards === undefined) return;
  const place = await saveKeys(chosen, options);
  if (place === null) return;
  const names = chosen.map(({ name }) => name);
  if (afterwards === "comment" && !(await files.commentOut(path, names))) {
    const message = vscode.l10n.t("The lines in {0} were not changed.", plainLabel(path));
    await ui.notify(
      `${doneText(names, place)} ${message} ${vscode.l10n.t("Remove them yourself.")}`,
      [],
    );
    return;
  }
  ui.showMessage(doneText(names, place));
}

async function chooseFile(
  { ui, files }: ImportOptions,
  target: unknown,
): Promise<string | undefined> {
  const paths = await files.list(target);
  if (paths.length === 0) {
    ui.showMessage(vscode.l10n.t("There is no .env file in this workspace. Use Set API Key."));
    return undefined;
  }
  if (paths.length === 1) return paths[0];
  return await ui.pick({
    title: vscode.l10n.t("Import Keys from .env"),
    placeholder: vscode.l10n.t("Which file?"),
    rows: paths.map((path) => ({ value: path, label: path })),
  });
}

/** Every variable that could be a key, except those that no service would accept. */
function keysIn(text: string, { store }: ImportOptions): readonly EnvKey[] {
  const values = readEnv(text);
  return Object.entries(values).flatMap(([name, value]) => {
    const id = keyIdOf(name);
    if (id === null) return [];
    const host = isServiceId(id) ? hostIn(id, values) : null;
    const verdict = judgeFormat(id, value, host);
    if (isServiceId(id) && verdict.kind === "refused") return [];
    if (looksSecret(id)) store.redactor.learn(value);
    const hint = verdict.kind === "fits" ? verdict.hint : null;
    return [{ id, name, value: verdict.kind === "fits" ? verdict.value : value, host, hint }];
  });
}

async function chooseKeys(
  { ui, store }: ImportOptions,
  path: string,
  found: readonly EnvKey[],
): Promise<readonly EnvKey[] | undefined> {
  const stored = new Set((await store.list()).map(({ id }) => id));
  return await ui.pickMany({
    title: vscode.l10n.t("Import Keys from {0}", path),
    placeholder: vscode.l10n.t("Which keys? Only their names are shown."),
    rows: found.map((key) => rowOf(key, stored.has(key.id))),
  });
}

function rowOf(key: EnvKey, isStored: boolean): PickRow<EnvKey> {
  const { id, name, value, host, hint } = key;
  const isReference = value.includes("${");
  const remarks = [
    isReference ? vscode.l10n.t("Refers to another variable, which is not resolved.") : "",
    hint === null ? "" : hintText(hint),
    host === null ? "" : vscode.l10n.t("For {0}, as set in this file.", host),
  ].filter(Boolean);
  return {
    value: key,
    label: name,
    picked: !isReference && looksSecret(id),
    description: isStored ? vscode.l10n.t("replaces the stored key") : undefined,
    detail: remarks.length > 0 ? remarks.join(" ") : undefined,
  };
}

function looksSecret(id: KeyId): boolean {
  return isServiceId(id) || /(^|[:_.-])(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/.test(id);
}

async function chooseLines(ui: KeyUi, path: string): Promise<"keep" | "comment" | undefined> {
  return await ui.pick<"keep" | "comment">({
    title: vscode.l10n.t("Import Keys from {0}", path),
    placeholder: vscode.l10n.t("What should happen to their lines in the file?"),
    rows: [
      {
        value: "keep",
        label: vscode.l10n.t("Keep the Lines"),
        detail: vscode.l10n.t("Other programs can still read them."),
      },
      {
        value: "comment",
        label: vscode.l10n.t("Comment the Lines Out"),
        detail: vscode.l10n.t("You can undo this edit. The values stay in the file as comments."),
      },
    ],
  });
}

function doneText(names: readonly string[], place: "store" | "session"): string {
  const list = names.join(", ");
  return place === "store"
    ? vscode.l10n.t("Stored: {0}.", list)
    : vscode.l10n.t("Kept until this window is closed: {0}.", list);
}
