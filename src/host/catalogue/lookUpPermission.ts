/** Whether completion may query services: decided by the setting, or by asking once. */

import * as vscode from "vscode";
import { plainWindow } from "../vscode/plainWindow.ts";

export interface LookUpPermissionOptions {
  /** The setting `config.liveCompletion`. */
  readonly setting: () => "ask" | "on" | "off";
  /** Stores the answer in the user settings. */
  readonly decide: (answer: "on" | "off") => PromiseLike<void>;
}

export class LookUpPermission {
  readonly #options: LookUpPermissionOptions;
  #wasAsked = false;

  constructor(options: LookUpPermissionOptions) {
    this.#options = options;
  }

  /** Never in Restricted Mode, and only after explicit consent. */
  get isGiven(): boolean {
    return vscode.workspace.isTrusted && this.#options.setting() === "on";
  }

  /** Asks if undecided, at most once per session; true = allowed. */
  async ask(): Promise<boolean> {
    if (!vscode.workspace.isTrusted || this.#wasAsked) return this.isGiven;
    if (this.#options.setting() !== "ask") return this.isGiven;
    this.#wasAsked = true;
    const allow = vscode.l10n.t("Allow");
    const never = vscode.l10n.t("Never");
    const answer = await plainWindow.showInformationMessage(
      vscode.l10n.t(
        "Let completion ask Tinker and OpenReward for the names of models, environments and checkpoints? Your configuration is not sent.",
      ),
      allow,
      never,
    );
    if (answer === allow) await this.#options.decide("on");
    if (answer === never) await this.#options.decide("off");
    return answer === allow && vscode.workspace.isTrusted;
  }
}
