/** Lists keys, approved hosts, and `.env` files that may be read. */

import { dirname } from "node:path";
import * as vscode from "vscode";
import { type KeyOrigin, stateText } from "../../core/secrets/keySource.ts";
import { officialHost } from "../../core/secrets/serviceHosts.ts";
import type { Approvals, KeyApproval } from "./approvals.ts";
import type { EnvFileUse, EnvPermission } from "./envPermission.ts";
import { isServiceId, type KeyId, SERVICE_IDS, variableOf } from "./keyNames.ts";
import type { KeySources } from "./keySources.ts";
import type { KeyFacts } from "./keyStore.ts";
import { verdictOn } from "./keyTest.ts";
import { ageText, keyLabel, testText } from "./keyTexts.ts";
import type { ButtonRow, RowButton } from "./keyUi.ts";
import { removeKey } from "./removeKey.ts";
import { type SetKeyOptions, setKey } from "./setKey.ts";

export interface KeyStatusOptions extends SetKeyOptions {
  readonly sources: KeySources;
  readonly approvals: Approvals;
  readonly envPermission: EnvPermission;
  /** Folders whose `.env` is considered in the list. */
  readonly folders: () => Promise<readonly string[]>;
  readonly now: () => number;
}

type Subject =
  | { readonly kind: "key"; readonly id: KeyId }
  | { readonly kind: "approval"; readonly approval: KeyApproval }
  | { readonly kind: "envFile"; readonly use: EnvFileUse };

type Action = "test" | "set" | "remove" | "withdraw" | "forget";
type Row = ButtonRow<Subject, Action>;

/** Test results while the list was open. */
type TestTexts = Map<KeyId, string>;

/** Shows the list and carries out its button actions until the user closes it. */
export async function keyStatus(options: KeyStatusOptions): Promise<void> {
  const tests: TestTexts = new Map();
  for (;;) {
    const chosen = await options.ui.pickAction<Subject, Action>({
      title: vscode.l10n.t("Keys"),
      placeholder: vscode.l10n.t("Values are never shown."),
      rows: () => allRows(options, tests),
      onChange: (listener) => subscribe(options, listener),
    });
    if (chosen === undefined) return;
    await act(options, tests, chosen.value, chosen.action);
  }
}

function subscribe({ store, approvals }: KeyStatusOptions, listener: () => void) {
  const subscriptions = [store.onDidChange(listener), approvals.onDidChange(listener)];
  return {
    dispose: () => {
      for (const subscription of subscriptions) subscription.dispose();
    },
  };
}

async function act(
  options: KeyStatusOptions,
  tests: TestTexts,
  subject: Subject,
  action: Action,
): Promise<void> {
  switch (subject.kind) {
    case "approval":
      return await options.approvals.withdraw(subject.approval);
    case "envFile":
      return await options.envPermission.forget(subject.use);
    case "key":
      return await actOnKey(options, tests, subject.id, action);
  }
}

async function actOnKey(
  options: KeyStatusOptions,
  tests: TestTexts,
  id: KeyId,
  action: Action,
): Promise<void> {
  tests.delete(id);
  if (action === "set") await setKey(options, id);
  if (action === "remove") await removeKey(options, id);
  if (action !== "test") return;
  const key = await options.store.get(id);
  if (key === null) return;
  const title = vscode.l10n.t("Testing {0}", variableOf(id));
  tests.set(id, testText(await options.ui.busy(title, () => verdictOn(id, key, options))));
}

async function allRows(options: KeyStatusOptions, tests: TestTexts): Promise<readonly Row[]> {
  const folders = await options.folders();
  const facts = new Map((await options.store.list()).map((fact) => [fact.id, fact] as const));
  const others = [...facts.keys()].filter((id) => !isServiceId(id)).toSorted();
  const keys = [...SERVICE_IDS, ...others].map(async (id) => {
    const source = await options.sources.find(id, folders);
    return keyRow(id, { facts: facts.get(id), source, test: tests.get(id), now: options.now() });
  });
  return [...(await Promise.all(keys)), ...approvalRows(options), ...envRows(options)];
}

interface KeyState {
  readonly facts: KeyFacts | undefined;
  readonly source: KeyOrigin | null;
  readonly test: string | undefined;
  readonly now: number;
}

function keyRow(id: KeyId, { facts, source, test, now }: KeyState): Row {
  const isKept = facts !== undefined;
  const isTestable = isKept && isServiceId(id);
  const where = isKept ? hostText(id, facts.host) : "";
  const age = isKept ? vscode.l10n.t("added {0}", ageText(facts.addedAt, now)) : "";
  const detail = [where, age, test ?? ""].filter(Boolean).join(" \u00b7 ");
  return {
    value: { kind: "key", id },
    label: keyLabel(id),
    description: stateText(source),
    detail: detail !== "" ? detail : undefined,
    onEnter: isTestable ? "test" : "set",
    actions: [
      ...(isTestable ? [button("test", "beaker", vscode.l10n.t("Test"))] : []),
      button("set", "edit", vscode.l10n.t("Set")),
      ...(isKept ? [button("remove", "trash", vscode.l10n.t("Remove"))] : []),
    ],
  };
}

function hostText(id: KeyId, host: string | null): string {
  const shown = host ?? (isServiceId(id) ? officialHost(id) : null);
  return shown === null
    ? vscode.l10n.t("for environments that need it")
    : vscode.l10n.t("for {0}", shown);
}

function approvalRows({ approvals }: KeyStatusOptions): readonly Row[] {
  return approvals.list().map((approval, index) => ({
    value: { kind: "approval", approval },
    label: `${approval.key} \u2192 ${approval.origin}`,
    description: approval.folder,
    heading: index === 0 ? vscode.l10n.t("Approved addresses") : undefined,
    actions: [button("withdraw", "close", vscode.l10n.t("Withdraw"))],
  }));
}

function envRows({ envPermission }: KeyStatusOptions): readonly Row[] {
  return envPermission.answered().map(({ folder, file, mayRead }, index) => ({
    value: { kind: "envFile", use: { folder, file } },
    label: file,
    description: mayRead ? vscode.l10n.t("is read for keys") : vscode.l10n.t("is not read"),
    detail: dirname(file) !== folder ? vscode.l10n.t("by runs of {0}", folder) : undefined,
    heading: index === 0 ? vscode.l10n.t(".env files") : undefined,
    actions: [button("forget", "close", vscode.l10n.t("Ask Again"))],
  }));
}

function button(action: Action, icon: string, tooltip: string): RowButton<Action> {
  return { action, icon, tooltip };
}
