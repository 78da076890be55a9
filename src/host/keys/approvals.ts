/** Which server may get which key from which folder, as the user said. */

import * as vscode from "vscode";
import { isJsonObject } from "../../core/json.ts";
import { isSafeAddress, originOf } from "../../core/secrets/hostBinding.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import { plainLabel } from "../vscode/plainText.ts";
import type { Disposable } from "./keyStore.ts";
import type { KeyUi } from "./keyUi.ts";

export interface KeyApproval {
  /** Real path of the folder that runs are started for. */
  readonly folder: string;
  /** `scheme://host`, with a port unless it is the usual one. */
  readonly origin: string;
  /** Name of the variable, such as TINKER_API_KEY. */
  readonly key: string;
}

/** The part of `vscode.Memento` that is used. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

export interface ApprovalOptions {
  readonly memory: Memory;
  readonly ui: Pick<KeyUi, "confirm">;
}

const MEMORY_KEY = "keys.approvals";

/** Asks once for each folder, origin and key, and remembers what was allowed until it is withdrawn. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #asking = new Map<string, Promise<boolean>>();
  readonly #listeners = new Set<() => void>();

  constructor(options: ApprovalOptions) {
    this.#options = options;
  }

  /**
   * True when the user allows it now or did before. A refusal is not remembered: the next start asks again. Nobody is asked about
   * what cannot be approved: an address without encryption that is not on this machine.
   */
  async ask(approval: KeyApproval): Promise<boolean> {
    if (!isApproval(approval)) return false;
    if (this.has(approval)) return true;
    const id = JSON.stringify([approval.folder, approval.origin, approval.key]);
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
    const stored = this.#options.memory.get(MEMORY_KEY);
    return Array.isArray(stored) ? stored.filter(isApproval) : [];
  }

  /** For the trainers of a folder. */
  allowedOrigins(folder: string): LaunchRequest["allowedOrigins"] {
    return this.list()
      .filter((approval) => approval.folder === folder)
      .map(({ key, origin }) => ({ key, origin }));
  }

  async withdraw(approval: KeyApproval): Promise<void> {
    await this.#keep(this.list().filter((other) => !isSame(other, approval)));
  }

  onDidChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  async #confirm(wanted: KeyApproval): Promise<boolean> {
    const [key, origin, folder] = [wanted.key, wanted.origin, wanted.folder].map(plainLabel);
    const isAllowed = await this.#options.ui.confirm(
      vscode.l10n.t("Send {0} to {1}?", key ?? "", origin ?? ""),
      vscode.l10n.t(
        "A run from {0} would send it there. The owner of {1} can use the key as you can. The answer applies to this key, this address and this folder; withdraw it in Show Key Status.",
        folder ?? "",
        origin ?? "",
      ),
      vscode.l10n.t("Send to {0}", origin ?? ""),
      vscode.l10n.t("Don't Send"),
    );
    if (isAllowed) await this.#keep([...this.list(), wanted]);
    return isAllowed;
  }

  async #keep(approvals: readonly KeyApproval[]): Promise<void> {
    await this.#options.memory.update(MEMORY_KEY, approvals);
    for (const listener of this.#listeners) listener();
  }
}

function isSame(one: KeyApproval, other: KeyApproval): boolean {
  return one.folder === other.folder && one.origin === other.origin && one.key === other.key;
}

function isApproval(stored: unknown): stored is KeyApproval {
  if (!isJsonObject(stored)) return false;
  const { folder, origin, key } = stored;
  if (typeof folder !== "string" || typeof key !== "string") return false;
  // One of an older version holds a host of any scheme, and counts as none.
  return typeof origin === "string" && originOf(origin) === origin && isSafeAddress(origin);
}
