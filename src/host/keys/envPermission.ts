/** Whether a run may take keys from the `.env` file beside its configuration. */

import * as vscode from "vscode";
import { isJsonObject } from "../../core/json.ts";
import type { Memory } from "./approvals.ts";
import { plainText } from "./keyTexts.ts";
import type { KeyUi } from "./keyUi.ts";

export interface EnvPermissionParts {
  readonly memory: Memory;
  readonly ui: Pick<KeyUi, "notify">;
  readonly isTrusted: () => boolean;
  /** The setting `env.read`. */
  readonly setting: () => "ask" | "always" | "never";
  /** Sets `env.read` to `always`. */
  readonly allowAlways: () => PromiseLike<void>;
  /** The file of a folder when there is one, as an absolute path. */
  readonly envFileIn: (folder: string) => Promise<string | null>;
}

export type EnvAnswer = "yes" | "no" | "not asked";

const MEMORY_KEY = "keys.envFolders";

/** Asks once for each folder, when there is a file to read; what was answered holds until it is forgotten. */
export class EnvPermission {
  readonly #parts: EnvPermissionParts;
  readonly #asking = new Map<string, Promise<boolean>>();

  constructor(parts: EnvPermissionParts) {
    this.#parts = parts;
  }

  /** For the start of a run; `folder` is that of the configuration. Never asks in Restricted Mode. */
  async mayRead(folder: string): Promise<boolean> {
    const answer = this.answer(folder);
    if (answer !== "not asked") return answer === "yes";
    const path = await this.#parts.envFileIn(folder);
    if (path === null) return false;
    const asking = this.#asking.get(folder) ?? this.#ask(folder, path);
    this.#asking.set(folder, asking);
    try {
      return await asking;
    } finally {
      this.#asking.delete(folder);
    }
  }

  /** What holds for a folder without asking anybody. */
  answer(folder: string): EnvAnswer {
    const { isTrusted, setting } = this.#parts;
    if (!isTrusted()) return "no";
    const set = setting();
    if (set !== "ask") return set === "always" ? "yes" : "no";
    const answer = this.#answers()[folder];
    return answer === "yes" || answer === "no" ? answer : "not asked";
  }

  /** Folders with an answer of their own, while the setting leaves it to them. */
  answered(): readonly { readonly folder: string; readonly mayRead: boolean }[] {
    if (this.#parts.setting() !== "ask") return [];
    return Object.entries(this.#answers()).map(([folder, answer]) => ({
      folder,
      mayRead: answer === "yes",
    }));
  }

  /** The next run from `folder` asks again. */
  async forget(folder: string): Promise<void> {
    const { [folder]: _, ...others } = this.#answers();
    await this.#parts.memory.update(MEMORY_KEY, others);
  }

  async #ask(folder: string, path: string): Promise<boolean> {
    const yes = vscode.l10n.t("Yes");
    const always = vscode.l10n.t("Always");
    const no = vscode.l10n.t("No");
    const question = vscode.l10n.t("May runs take keys from {0}?", plainText(path));
    const chosen = await this.#parts.ui.notify(question, [yes, always, no]);
    if (chosen === undefined) return false;
    if (chosen === always) {
      await this.#parts.allowAlways();
      return true;
    }
    const answer = chosen === yes ? "yes" : "no";
    await this.#parts.memory.update(MEMORY_KEY, { ...this.#answers(), [folder]: answer });
    return chosen === yes;
  }

  #answers(): Readonly<Record<string, unknown>> {
    const stored = this.#parts.memory.get(MEMORY_KEY);
    return isJsonObject(stored) ? stored : {};
  }
}
