/** The flow that takes a key from the user: which one, for which host, the value, a test, the secret store. */

import * as vscode from "vscode";
import { plainLabel } from "../vscode/plainText.ts";
import { type FormatVerdict, judgeFormat } from "./keyFormat.ts";
import { isServiceId, type KeyId, keyIdOf, SERVICE_IDS, SERVICES, variableOf } from "./keyNames.ts";
import type { KeyStore } from "./keyStore.ts";
import { type KeyTestOptions, type KeyTestResult, testKey } from "./keyTest.ts";
import { faultText, hintText, keyLabel, testText } from "./keyTexts.ts";
import type { InputRemark, KeyUi, PickRow } from "./keyUi.ts";
import type { KeyReason, MissingKey } from "./launchKeys.ts";
import { hostIn, officialHost } from "./services.ts";
import { storeKeys } from "./storeKeys.ts";

export interface SetKeyOptions extends KeyTestOptions {
  readonly store: KeyStore;
  readonly ui: KeyUi;
}

/** True when a key was kept. Asks which one unless `id` says so; `reason` is what it is needed for. */
export async function setKey(
  options: SetKeyOptions,
  id?: KeyId,
  reason?: KeyReason,
): Promise<boolean> {
  const chosen = id ?? (await chooseKey(options));
  if (chosen === undefined) return false;
  const host = await chooseHost(options, chosen);
  if (host === undefined) return false;
  for (;;) {
    const value = await askForValue(options, { id: chosen, host, reason });
    if (value === undefined) return false;
    const answer = await tryOut(options, { id: chosen, value, host });
    if (answer.next === "leave") return false;
    if (answer.next === "again") continue;
    const place = await storeKeys([{ id: chosen, value, host }], options);
    if (place !== null) options.ui.showMessage(keptText(chosen, place, answer.result));
    return place !== null;
  }
}

/** Asks for what a start lacks, one after the other. False as soon as the user goes away. */
export async function askForMissing(
  options: SetKeyOptions,
  missing: readonly MissingKey[],
): Promise<boolean> {
  for (const { id, reason } of missing) {
    if (!(await setKey(options, id, reason))) return false;
  }
  return true;
}

async function chooseKey({ store, ui }: SetKeyOptions): Promise<KeyId | undefined> {
  const facts = await store.list();
  const setIds = new Set(facts.map(({ id }) => id));
  const others = facts.map(({ id }) => id).filter((id) => !isServiceId(id));
  const rows = [...SERVICE_IDS, ...others.toSorted()].map(
    (id): PickRow<KeyId | null> => ({
      value: id,
      label: isServiceId(id) ? SERVICES[id].label : variableOf(id),
      ...(isServiceId(id) && { description: variableOf(id) }),
      ...(setIds.has(id) && { detail: vscode.l10n.t("Set; the new one replaces it.") }),
    }),
  );
  const other: PickRow<null> = {
    value: null,
    label: vscode.l10n.t("Another Secret\u2026"),
    detail: vscode.l10n.t("For an environment that asks for it by name."),
  };
  const title = vscode.l10n.t("Set API Key");
  const placeholder = vscode.l10n.t("Which key?");
  const chosen = await ui.pick({ title, placeholder, rows: [...rows, other] });
  return chosen === null ? await askForName(ui) : chosen;
}

async function askForName(ui: KeyUi): Promise<KeyId | undefined> {
  const name = await ui.input({
    title: vscode.l10n.t("Set API Key"),
    prompt: vscode.l10n.t("Name of the secret, as in the configuration; its case does not matter"),
    isSecret: false,
    check: (typed) =>
      keyIdOf(typed.trim()) === null
        ? refusal(vscode.l10n.t("Write letters, digits and underscores, such as SEARCH_API_KEY."))
        : null,
  });
  return name === undefined ? undefined : (keyIdOf(name.trim()) ?? undefined);
}

/** The host of the key; null is the official service, undefined when the user cancelled. Asks only when a setting leads elsewhere. */
async function chooseHost(
  { ui, variables }: SetKeyOptions,
  id: KeyId,
): Promise<string | null | undefined> {
  if (!isServiceId(id)) return null;
  const other = hostIn(id, variables());
  if (other === null) return null;
  return await ui.pick({
    title: keyLabel(id),
    placeholder: vscode.l10n.t("Which server is the key for? It goes to no other."),
    rows: [
      { value: other, label: other, detail: vscode.l10n.t("From your settings") },
      { value: null, label: officialHost(id), detail: vscode.l10n.t("The official service") },
    ],
  });
}

interface Wanted {
  readonly id: KeyId;
  readonly host: string | null;
  readonly reason: KeyReason | undefined;
}

async function askForValue(
  { ui, store }: SetKeyOptions,
  { id, host, reason }: Wanted,
): Promise<string | undefined> {
  let value: string | undefined;
  const typed = await ui.input({
    title: keyLabel(id),
    prompt: [reasonText(reason), placeText(id, host)].filter(Boolean).join(" "),
    isSecret: true,
    check: (text) => remarkOn(judgeFormat(id, text, host), id),
  });
  const verdict = typed === undefined ? null : judgeFormat(id, typed, host);
  if (verdict?.kind === "fits") value = verdict.value;
  if (value !== undefined) store.redactor.learn(value);
  return value;
}

function remarkOn(verdict: FormatVerdict, id: KeyId): InputRemark | null {
  if (verdict.kind === "refused") return refusal(faultText(verdict.fault, id));
  return verdict.hint === null ? null : { text: hintText(verdict.hint), isRefusal: false };
}

function refusal(text: string): InputRemark {
  return { text, isRefusal: true };
}

interface TryOut {
  readonly next: "keep" | "again" | "leave";
  readonly result: KeyTestResult;
}

/** What to do with a key after its test; asks unless it works or there is no test for it. */
async function tryOut(
  options: SetKeyOptions,
  { id, value, host }: { readonly id: KeyId; readonly value: string; readonly host: string | null },
): Promise<TryOut> {
  const title = vscode.l10n.t("Testing {0}", variableOf(id));
  const result = await options.ui.busy(title, () => testKey(id, { value, host }, options));
  if (result.kind === "works" || result.kind === "no-test") return { next: "keep", result };
  const next = await options.ui.pick<TryOut["next"]>({
    title: keyLabel(id),
    placeholder: testText(result),
    rows: [
      { value: "again", label: vscode.l10n.t("Enter It Again") },
      { value: "keep", label: vscode.l10n.t("Keep It All the Same"), detail: testText(result) },
    ],
  });
  return { next: next ?? "leave", result };
}

function reasonText(reason: KeyReason | undefined): string {
  switch (reason?.kind) {
    case undefined:
      return "";
    case "model":
      return vscode.l10n.t(
        "model_name: {0} is trained by Tinker, which needs this key.",
        plainLabel(reason.model),
      );
    case "environments":
      return vscode.l10n.t(
        "{0} runs at OpenReward, which needs this key.",
        plainLabel(reason.names.join(", ")),
      );
    case "secret":
      return vscode.l10n.t("{0} asks for this secret.", plainLabel(reason.configPath));
  }
}

function placeText(id: KeyId, host: string | null): string {
  if (!isServiceId(id)) return vscode.l10n.t("Kept in the secret store of the editor.");
  const where = host ?? officialHost(id);
  return vscode.l10n.t("Kept in the secret store of the editor for {0}.", where);
}

function keptText(id: KeyId, place: "store" | "session", result: KeyTestResult): string {
  const name = variableOf(id);
  const kept =
    place === "store"
      ? vscode.l10n.t("{0} is stored.", name)
      : vscode.l10n.t("{0} is kept until this window is closed.", name);
  return result.kind === "works" ? `${kept} ${testText(result)}` : kept;
}
