/** Asks for new values of settings that may change while a run continues. */

import * as vscode from "vscode";
import { expectationOf } from "../../core/config/rules/expectation.ts";
import { isJsonObject } from "../../core/json.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES } from "../../core/runFolder/files/wholeFiles.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import { readPlainText } from "../../node/plainText.ts";
import { askSettings, assignments } from "./askSettings.ts";
import {
  changeText,
  faultOfChanges,
  plainDoc,
  shownValue,
  tunableSettings,
} from "./tunableSettings.ts";

/** `key=value` for each changed setting, validated like the configuration; empty if there are none. */
export async function chooseSettings(runFolder: string): Promise<readonly string[]> {
  const path = runPaths(runFolder).resolvedConfig;
  const text = (await readPlainText(path, MAX_BYTES.resolvedConfig, runFolder)) ?? "";
  const config = parseJson(text)?.value;
  const settings = isJsonObject(config) ? tunableSettings(config) : [];
  const chosen = await askSettings({
    settings,
    title: vscode.l10n.t("Change Settings from the Next Step On"),
    placeHolder: () => vscode.l10n.t("Which setting?"),
    ignoreFocusOut: false,
    row: (setting, next) => ({ description: `${shownValue(setting)} → ${next}` }),
    done: (changed) => {
      const changes = settings.flatMap((setting) => {
        const next = changed.get(setting.key);
        return next === undefined ? [] : [changeText(setting, next)];
      });
      const label =
        changes.length === 1
          ? vscode.l10n.t("Apply from the next step on")
          : vscode.l10n.t("Apply {0} changes from the next step on", changes.length);
      return { label, detail: changes.join(", ") };
    },
    prompt: (setting) =>
      vscode.l10n.t(
        "{0} Now: {1}. Expected: {2}.",
        plainDoc(setting.field),
        shownValue(setting),
        expectationOf(setting.field),
      ),
    unchanged: shownValue,
    fault: (changed) => faultOfChanges(text, assignments(changed)) ?? undefined,
  });
  return chosen === undefined ? [] : assignments(chosen);
}
