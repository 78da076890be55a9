/** Whether completion may ask services: by the setting, or after one question. */

import * as vscode from "vscode";
import { plainWindow } from "../vscode/plainWindow.ts";

export interface LookUpPermissionOptions {
  /** `config.liveCompletion`. */
  readonly setting: () => "ask" | "on" | "off";
  /** Sets it for this computer. */
  readonly decide: (answer: "on" | "off") => PromiseLike<void>;
}

export class LookUpPermission {
  readonly #options: LookUpPermissionOptions;
  #wasAsked = false;

  constructor(options: LookUpPermissionOptions) {
    this.#options = options;
  }

  /** Never in Restricted Mode, and never before someone said yes. */
  get isGiven(): boolean {
    return vscode.workspace.isTrusted && this.#options.setting() === "on";
  }

  /** Asks where no one has decided, once a session; true = it is given now. */
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
