/** What the server may use to query services: keys bound to the configured addresses, and only in a trusted window. */

import * as vscode from "vscode";
import { type CatalogueAccess, canLookUp, type ListKind } from "../../api/catalogue.ts";
import { hostIn, serviceVariables } from "../../core/secrets/serviceHosts.ts";
import { SERVICES } from "../../core/services.ts";
import type { RequestedKey } from "../../shared/control.ts";
import type { Keys } from "../keys/createKeys.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import { changeSetting, readSetting } from "../vscode/settings.ts";

type AccessKeys = Pick<Keys, "variables"> & {
  readonly sources: Pick<Keys["sources"], "valueFor">;
};

/** Access for a user's explicit request; null in Restricted Mode, in which no service is contacted. */
export async function accessNow(
  wanted: readonly ListKind[],
  { sources, variables: all }: AccessKeys,
): Promise<CatalogueAccess | null> {
  if (!vscode.workspace.isTrusted) return null;
  const variables = serviceVariables(all());
  const keys: Record<string, RequestedKey> = {};
  for (const service of new Set(wanted.map(serviceOf))) {
    const key = await sources.valueFor(service);
    if (key !== null && key.host === hostIn(service, variables)) {
      keys[SERVICES[service].variable] = key;
    }
  }
  return { keys, variables };
}

function serviceOf(kind: ListKind): "openreward" | "tinker" {
  return kind === "environments" ? "openreward" : "tinker";
}

/** Access for completion; also null if no service could answer or the user does not allow it. Asks at most once per session. */
export function accessForCompletion(
  keys: AccessKeys,
): (wanted: readonly ListKind[]) => Promise<CatalogueAccess | null> {
  let wasAsked = false;
  return async (wanted) => {
    const access = await accessNow(wanted, keys);
    if (access === null || !wanted.some((kind) => canLookUp(kind, access))) return null;
    const setting = readSetting("config.liveCompletion");
    if (setting !== "ask" || wasAsked) return setting === "on" ? access : null;
    wasAsked = true;
    return (await askToLookUp()) && vscode.workspace.isTrusted ? access : null;
  };
}

/** Stores the answer in the user settings, unless the prompt is dismissed. */
async function askToLookUp(): Promise<boolean> {
  const allow = vscode.l10n.t("Allow");
  const never = vscode.l10n.t("Never");
  const answer = await plainWindow.showInformationMessage(
    vscode.l10n.t(
      "Let completion ask Tinker and OpenReward for the names of models, environments and checkpoints? Your configuration is not sent.",
    ),
    allow,
    never,
  );
  if (answer === allow) await changeSetting("config.liveCompletion", "on");
  if (answer === never) await changeSetting("config.liveCompletion", "off");
  return answer === allow;
}
