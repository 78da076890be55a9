/** Which server may receive which key for which folder, as approved by the user. */

import * as vscode from "vscode";
import { isJsonObject } from "../../core/json.ts";
import { isSafeAddress, originOf } from "../../core/secrets/hostBinding.ts";
import type { Listening } from "../../core/util/emitter.ts";
import { plainLabel } from "../../core/util/plainText.ts";
import type { LaunchRequest } from "../../shared/control.ts";
import type { Memento } from "../vscode/memento.ts";
import { AnswerMemory } from "./answerMemory.ts";
import type { KeyUi } from "./keyUi.ts";

export interface KeyApproval {
  /** Real path of the folder for which runs are started. */
  readonly folder: string;
  /** `scheme://host`, with a port unless it is the default one. */
  readonly origin: string;
  /** Variable name, such as TINKER_API_KEY. */
  readonly key: string;
}

export interface ApprovalOptions {
  readonly memory: Memento;
  readonly ui: Pick<KeyUi, "confirm">;
}

/** Asks once per folder, origin and key, and remembers approvals until they are withdrawn. */
export class Approvals {
  readonly #options: ApprovalOptions;
  readonly #answers: AnswerMemory<KeyApproval, KeyApproval>;

  constructor(options: ApprovalOptions) {
    this.#options = options;
    this.#answers = new AnswerMemory({
      memory: options.memory,
      key: "keys.approvals",
      isAnswer: isApproval,
      idOf: ({ folder, origin, key }) => JSON.stringify([folder, origin, key]),
    });
  }

  onDidChange(listener: () => void): Listening {
    return this.#answers.onDidChange(listener);
  }

  /**
   * True if the user approves now or did before. A refusal is not remembered: the next start asks again. Never asks about what cannot be
   * approved: an unencrypted address on another computer.
   */
  async ask(approval: KeyApproval): Promise<boolean> {
    if (!isApproval(approval)) return false;
    if (this.has(approval)) return true;
    return await this.#answers.ask(approval, () => this.#confirm(approval));
  }

  has(wanted: KeyApproval): boolean {
    return this.#answers.find(wanted) !== undefined;
  }

  list(): readonly KeyApproval[] {
    return this.#answers.list();
  }

  /** Approved origins for trainers of a folder. */
  allowedOrigins(folder: string): LaunchRequest["allowedOrigins"] {
    return this.list()
      .filter((approval) => approval.folder === folder)
      .map(({ key, origin }) => ({ key, origin }));
  }

  async withdraw(approval: KeyApproval): Promise<void> {
    await this.#answers.forget(approval);
  }

  async #confirm(wanted: KeyApproval): Promise<boolean> {
    const [key, origin, folder] = [wanted.key, wanted.origin, wanted.folder].map(plainLabel);
    const isAllowed = await this.#options.ui.confirm(
      vscode.l10n.t("Send {0} to {1}?", key ?? "", origin ?? ""),
      vscode.l10n.t(
        "A run from {0} would send it there. The owner of {1} can then use the key as you do. Your answer applies to this key, this address and this folder. You can withdraw it in Show Key Status.",
        folder ?? "",
        origin ?? "",
      ),
      vscode.l10n.t("Send to {0}", origin ?? ""),
      vscode.l10n.t("Don't Send"),
    );
    if (isAllowed) await this.#answers.keep(wanted);
    return isAllowed;
  }
}

function isApproval(stored: unknown): stored is KeyApproval {
  if (!isJsonObject(stored)) return false;
  const { folder, origin, key } = stored;
  if (typeof folder !== "string" || typeof key !== "string") return false;
  return typeof origin === "string" && originOf(origin) === origin && isSafeAddress(origin);
}
