/** Asks for new values of settings that may change while a run continues. */

import * as vscode from "vscode";
import { expectationOf } from "../../core/config/rules/expectation.ts";
import { isJsonObject } from "../../core/json.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { readPlainText } from "../../node/plainText.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import {
  changeText,
  faultOfChanges,
  plainDoc,
  type SimpleSetting,
  shortDoc,
  shownValue,
  tunableSettings,
} from "./tunableSettings.ts";

/** New values by key. */
type Chosen = ReadonlyMap<string, string>;

/** `key=value` for each setting that the user changed, checked as the configuration is; empty when none. */
export async function chooseSettings(runFolder: string): Promise<readonly string[]> {
  const path = runPaths(runFolder).resolvedConfig;
  const text = (await readPlainText(path, MAX_BYTES.resolvedConfig, runFolder)) ?? "";
  const config = parseJson(text)?.value;
  const settings = isJsonObject(config) ? tunableSettings(config) : [];
  const chosen = new Map<string, string>();
  for (;;) {
    const setting = await pickSetting(settings, chosen);
    if (setting === undefined) return [];
    if (setting === "done") return overridesOf(chosen);
    const value = await askValue(setting, chosen, text);
    if (value === shownValue(setting)) chosen.delete(setting.key);
    else if (value !== undefined) chosen.set(setting.key, value);
  }
}

function overridesOf(chosen: Chosen): readonly string[] {
  return [...chosen].map(([key, value]) => `${key}=${value}`);
}

async function pickSetting(
  settings: readonly SimpleSetting[],
  chosen: Chosen,
): Promise<SimpleSetting | "done" | undefined> {
  const items = settings.map((setting) => {
    const next = chosen.get(setting.key);
    const now = shownValue(setting);
    return {
      label: setting.key,
      description: next === undefined ? now : `${now} → ${next}`,
      detail: shortDoc(setting.field),
      setting,
    };
  });
  const changes = settings.flatMap((setting) => {
    const next = chosen.get(setting.key);
    return next === undefined ? [] : [changeText(setting, next)];
  });
  const done = {
    icon: "check",
    label:
      changes.length === 1
        ? vscode.l10n.t("Apply from the next step on")
        : vscode.l10n.t("Apply {0} changes from the next step on", changes.length),
    description: "",
    detail: changes.join(", "),
    alwaysShow: true,
    setting: "done" as const,
  };
  const picked = await plainWindow.showQuickPick(chosen.size > 0 ? [done, ...items] : items, {
    title: vscode.l10n.t("Change settings from the next step on"),
    placeHolder: vscode.l10n.t("Which setting?"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.setting;
}

function askValue(
  setting: SimpleSetting,
  chosen: Chosen,
  configText: string,
): Thenable<string | undefined> {
  const { key, field } = setting;
  const now = shownValue(setting);
  return plainWindow.showInputBox({
    title: key,
    prompt: vscode.l10n.t(
      "{0} Now: {1}. Expected: {2}.",
      plainDoc(field),
      now,
      expectationOf(field),
    ),
    value: chosen.get(key) ?? now,
    validateInput: (value) =>
      faultOfChanges(configText, overridesOf(new Map([...chosen, [key, value]]))),
  });
}
