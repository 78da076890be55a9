/** Which host may get which key from which folder, as the user said. */

import * as vscode from "vscode";
import { isJsonObject } from "../../core/json.ts";
import type { Disposable } from "./keyStore.ts";
import { plainText } from "./keyTexts.ts";
import type { KeyUi } from "./keyUi.ts";

export interface KeyApproval {
  /** Absolute path of the folder of the configuration. */
  readonly folder: string;
  /** With a port unless it is the usual one. */
  readonly host: string;
  /** Name of the variable, such as TINKER_API_KEY. */
  readonly key: string;
}

/** The part of `vscode.Memento` that is used. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface ApprovalParts {
  readonly memory: Memory;
  readonly ui: Pick<KeyUi, "confirm">;
}

const MEMORY_KEY = "keys.approvals";

/** Asks once for each folder, host and key, and remembers what was allowed until it is withdrawn. */
export class Approvals {
  readonly #parts: ApprovalParts;
  readonly #asking = new Map<string, Promise<boolean>>();
  readonly #listeners = new Set<() => void>();

  constructor(parts: ApprovalParts) {
    this.#parts = parts;
  }

  /** True when the user allows it now or did before. A refusal is not remembered: the next start asks again. */
  async ask(approval: KeyApproval): Promise<boolean> {
    if (this.has(approval)) return true;
    const id = JSON.stringify([approval.folder, approval.host, approval.key]);
    const asking = this.#asking.get(id) ?? this.#confirm(approval);
    this.#asking.set(id, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(id);
    }
  }

  has(wanted: KeyApproval): boolean {
    return this.list().some((approval) => isSame(approval, wanted));
  }

  list(): readonly KeyApproval[] {
    const stored = this.#parts.memory.get(MEMORY_KEY);
    return Array.isArray(stored) ? stored.filter(isApproval) : [];
  }

  /** What `LaunchOrder.allowedHosts` takes: `KEY@host`, so that a leave for one key is none for the others. */
  allowedHosts(folder: string): readonly string[] {
    return this.list()
      .filter((approval) => approval.folder === folder)
      .map(({ key, host }) => `${key}@${host}`);
  }

  async withdraw(approval: KeyApproval): Promise<void> {
    await this.#keep(this.list().filter((other) => !isSame(other, approval)));
  }

  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  async #confirm(wanted: KeyApproval): Promise<boolean> {
    const [key, host, folder] = [wanted.key, wanted.host, wanted.folder].map(plainText);
    const isAllowed = await this.#parts.ui.confirm(
      vscode.l10n.t("Send {0} to {1}?", key ?? "", host ?? ""),
      vscode.l10n.t(
        "A run from {0} would send it there. Whoever owns {1} can use the key as you can. The answer holds for this key, this host and this folder; Show Key Status withdraws it.",
        folder ?? "",
        host ?? "",
      ),
      vscode.l10n.t("Send to {0}", host ?? ""),
      vscode.l10n.t("Don't Send"),
    );
    if (isAllowed) await this.#keep([...this.list(), wanted]);
    return isAllowed;
  }

  async #keep(approvals: readonly KeyApproval[]): Promise<void> {
    await this.#parts.memory.update(MEMORY_KEY, approvals);
    for (const listener of this.#listeners) listener();
  }
}

function isSame(one: KeyApproval, other: KeyApproval): boolean {
  return one.folder === other.folder && one.host === other.host && one.key === other.key;
}

function isApproval(stored: unknown): stored is KeyApproval {
  if (!isJsonObject(stored)) return false;
  return [stored["folder"], stored["host"], stored["key"]].every(
    (part) => typeof part === "string",
  );
}
