/**
 * Asks for a key: which one, its value and host; then tests and stores it. The value comes before the host, so that no list is open while a
 * key is on the clipboard.
 */

import * as vscode from "vscode";
import { hostIn, officialHost } from "../../core/secrets/serviceHosts.ts";
import { SERVICES } from "../../core/services.ts";
import { plainLabel } from "../../core/util/plainText.ts";
import { type FormatVerdict, judgeFormat } from "./keyFormat.ts";
import { isServiceId, type KeyId, keyIdOf, SERVICE_IDS, variableOf } from "./keyNames.ts";
import type { KeyStore } from "./keyStore.ts";
import { type KeyTestOptions, type KeyVerdict, verdictOn } from "./keyTest.ts";
import { faultText, hintText, keyLabel, testText } from "./keyTexts.ts";
import type { InputRemark, KeyUi, PickRow } from "./keyUi.ts";
import type { KeyReason } from "./launchKeys.ts";
import { type KeyToSave, saveKeys } from "./saveKeys.ts";

export interface SetKeyOptions extends KeyTestOptions {
  readonly store: KeyStore;
  readonly ui: KeyUi;
}

/** True if a key was stored. Asks which one unless `id` is given; `reason` says what it is needed for. */
export async function setKey(
  options: SetKeyOptions,
  id?: KeyId,
  reason?: KeyReason,
): Promise<boolean> {
  const chosen = id ?? (await chooseKey(options));
  if (chosen === undefined) return false;
  const other = isServiceId(chosen) ? hostIn(chosen, options.variables()) : null;
  for (;;) {
    const value = await askForValue(options, { id: chosen, other, reason });
    if (value === undefined) return false;
    const host = await chooseHost(options, chosen, other);
    if (host === undefined) return false;
    const key = { id: chosen, value, host };
    const answer = await tryOut(options, key);
    if (answer.next === "leave") return false;
    if (answer.next !== "again") return keep(options, key, answer.result);
  }
}

/** True if it was stored. */
async function keep(options: SetKeyOptions, key: KeyToSave, result: KeyVerdict): Promise<boolean> {
  const place = await saveKeys([key], options);
  if (place !== null) options.ui.showMessage(keptText(key.id, place, result));
  return place !== null;
}

async function chooseKey({ store, ui }: SetKeyOptions): Promise<KeyId | undefined> {
  const facts = await store.list();
  const setIds = new Set(facts.map(({ id }) => id));
  const others = facts.map(({ id }) => id).filter((id) => !isServiceId(id));
  const rows = [...SERVICE_IDS, ...others.toSorted()].map(
    (id): PickRow<KeyId | null> => ({
      value: id,
      label: isServiceId(id) ? SERVICES[id].label : variableOf(id),
      description: isServiceId(id) ? variableOf(id) : undefined,
      detail: setIds.has(id) ? vscode.l10n.t("Set. A new key replaces it.") : undefined,
    }),
  );
  const other: PickRow<null> = {
    value: null,
    label: vscode.l10n.t("Another Secret\u2026"),
    detail: vscode.l10n.t("For an environment that needs it by name."),
  };
  const title = vscode.l10n.t("Set API Key");
  const placeholder = vscode.l10n.t("Which key?");
  const chosen = await ui.pick({ title, placeholder, rows: [...rows, other] });
  return chosen === null ? await askForName(ui) : chosen;
}

async function askForName(ui: KeyUi): Promise<KeyId | undefined> {
  const name = await ui.input({
    title: vscode.l10n.t("Set API Key"),
    prompt: vscode.l10n.t("Name of the secret, as in the configuration (not case-sensitive)"),
    isSecret: false,
    check: (typed) =>
      keyIdOf(typed.trim()) === null
        ? refusal(vscode.l10n.t("Use letters, digits and underscores, such as SEARCH_API_KEY."))
        : null,
  });
  return name === undefined ? undefined : (keyIdOf(name.trim()) ?? undefined);
}

/**
 * The key's host: the one in the settings, or null for the official service; undefined if the user canceled. Without `other` there is no
 * prompt.
 */
function chooseHost(
  { ui }: SetKeyOptions,
  id: KeyId,
  other: string | null,
): Promise<string | null | undefined> {
  if (other === null) return Promise.resolve(null);
  const official = isServiceId(id) ? officialHost(id) : "";
  return ui.pick({
    title: vscode.l10n.t("Server for {0}", keyLabel(id)),
    placeholder: vscode.l10n.t("Which server is the key for? It is sent to no other server."),
    rows: [
      { value: other, label: other, detail: vscode.l10n.t("From your settings") },
      { value: null, label: official, detail: vscode.l10n.t("The official service") },
    ],
  });
}

interface Wanted {
  readonly id: KeyId;
  /** The host in the settings: the key may be for it or for the official service. */
  readonly other: string | null;
  readonly reason: KeyReason | undefined;
}

async function askForValue(
  { ui, store }: SetKeyOptions,
  { id, other, reason }: Wanted,
): Promise<string | undefined> {
  const typed = await ui.input({
    title: keyLabel(id),
    prompt: [reasonText(reason), placeText(id, other)].filter(Boolean).join(" "),
    isSecret: true,
    check: (text) => remarkOn(judgeFormat(id, text, other), id),
  });
  const verdict = typed === undefined ? null : judgeFormat(id, typed, other);
  if (verdict?.kind !== "fits") return undefined;
  store.redactor.learn(verdict.value);
  return verdict.value;
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
  readonly result: KeyVerdict;
}

/** What to do with a key after testing it; asks unless it works or cannot be tested. */
async function tryOut(options: SetKeyOptions, { id, value, host }: KeyToSave): Promise<TryOut> {
  const again = { value: "again", label: vscode.l10n.t("Enter It Again") } as const;
  const verdict = judgeFormat(id, value, host);
  if (verdict.kind === "refused") {
    const next = await options.ui.pick<TryOut["next"]>({
      title: keyLabel(id),
      placeholder: faultText(verdict.fault, id),
      rows: [again],
    });
    return { next: next ?? "leave", result: { kind: "no-test" } };
  }
  const title = vscode.l10n.t("Testing {0}", variableOf(id));
  const result = await options.ui.busy(title, () => verdictOn(id, { value, host }, options));
  if (result.kind === "works" || result.kind === "no-test") return { next: "keep", result };
  const next = await options.ui.pick<TryOut["next"]>({
    title: keyLabel(id),
    placeholder: testText(result),
    rows: [again, { value: "keep", label: vscode.l10n.t("Keep Anyway"), detail: testText(result) }],
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
      return vscode.l10n.t("{0} needs this secret.", plainLabel(reason.configPath));
  }
}

function placeText(id: KeyId, other: string | null): string {
  if (!isServiceId(id)) return vscode.l10n.t("Stored in the secret store of the editor.");
  if (other !== null) {
    return vscode.l10n.t(
      "Stored in the secret store of the editor for one server, which you choose next: {0} or {1}.",
      ...[other, officialHost(id)],
    );
  }
  return vscode.l10n.t("Stored in the secret store of the editor for {0}.", officialHost(id));
}

function keptText(id: KeyId, place: "store" | "session", result: KeyVerdict): string {
  const name = variableOf(id);
  const kept =
    place === "store"
      ? vscode.l10n.t("{0} is stored.", name)
      : vscode.l10n.t("{0} is kept until this window is closed.", name);
  return result.kind === "works" ? `${kept} ${testText(result)}` : kept;
}
