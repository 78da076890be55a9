/** Whether completion may query services: decided by the setting, or by asking once. */

import * as vscode from "vscode";
import { plainWindow } from "../vscode/plainWindow.ts";

export interface LookUpPermissionOptions {
  /** The setting `config.liveCompletion`. */
  readonly setting: () => "ask" | "on" | "off";
  /** Stores the answer in the user settings. */
  readonly decide: (answer: "on" | "off") => PromiseLike<void>;
}

export type LookUpPermission = ReturnType<typeof lookUpPermission>;

export function lookUpPermission({ setting, decide }: LookUpPermissionOptions) {
  let wasAsked = false;
  /** Never in Restricted Mode, and only after explicit consent. */
  const isGiven = (): boolean => vscode.workspace.isTrusted && setting() === "on";
  /** Asks if undecided, at most once per session; true = allowed. */
  const ask = async (): Promise<boolean> => {
    if (!vscode.workspace.isTrusted || wasAsked || setting() !== "ask") return isGiven();
    wasAsked = true;
    const allow = vscode.l10n.t("Allow");
    const never = vscode.l10n.t("Never");
    const answer = await plainWindow.showInformationMessage(
      vscode.l10n.t(
        "Let completion ask Tinker and OpenReward for the names of models, environments and checkpoints? Your configuration is not sent.",
      ),
      allow,
      never,
    );
    if (answer === allow) await decide("on");
    if (answer === never) await decide("off");
    return answer === allow && vscode.workspace.isTrusted;
  };
  return { isGiven, ask };
}
