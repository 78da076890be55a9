/** Asks which settings a sweep varies, and over which values. */

import * as vscode from "vscode";
import { splitValues } from "../../core/config/overrideWords.ts";
import { parseConfig } from "../../core/config/parse.ts";
import { expectationOf } from "../../core/config/rules/expectation.ts";
import { isJsonObject } from "../../core/json.ts";
import { countCombinations } from "../../core/sweeps/grid.ts";
import { planSweep, type SweepRequest } from "../../core/sweeps/planSweep.ts";
import { plural } from "../../shared/format.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import {
  plainDoc,
  type SimpleSetting,
  shortDoc,
  shownValue,
  sweepableSettings,
} from "./tunableSettings.ts";

/** Values with commas between, by key. */
type Chosen = ReadonlyMap<string, string>;

/** Values with commas between, by key; undefined when the user gave up. Checked as the sweep will be. */
export async function askGrid(
  configuration: Omit<SweepRequest, "grid">,
): Promise<Chosen | undefined> {
  const result = parseConfig(configuration.text, configuration);
  const values: unknown = result.ok ? result.config : null;
  const settings = isJsonObject(values) ? sweepableSettings(values) : [];
  const chosen = new Map<string, string>();
  for (;;) {
    const setting = await pickSetting(settings, chosen);
    if (setting === undefined) return undefined;
    if (setting === "done") return chosen;
    const fault = (entered: string): string | undefined => {
      const grid = gridTexts(new Map([...chosen, [setting.key, entered]]));
      const check = planSweep({ ...configuration, grid });
      return check.ok ? undefined : check.problems[0]?.message;
    };
    const entered = await askValues(setting, chosen, fault);
    if (entered === "") chosen.delete(setting.key);
    else if (entered !== undefined) chosen.set(setting.key, entered);
  }
}

async function pickSetting(
  settings: readonly SimpleSetting[],
  chosen: Chosen,
): Promise<SimpleSetting | "done" | undefined> {
  const items = settings.map((setting) => {
    const values = chosen.get(setting.key);
    const now = shownValue(setting);
    return {
      label: setting.key,
      description: values === undefined ? now : values,
      detail: shortDoc(setting.field),
      icon: values === undefined ? undefined : "list-flat",
      setting,
    };
  });
  const varied = items.filter(({ label }) => chosen.has(label));
  const others = items.filter(({ label }) => !chosen.has(label));
  const runs = combinations(chosen);
  const done = {
    icon: "check",
    label: plural(runs, "Continue with {0} run", "Continue with {0} runs"),
    description: gridTexts(chosen).join(" "),
    detail: "",
    alwaysShow: true,
    setting: "done" as const,
  };
  const shown = chosen.size === 0 ? items : [done, ...varied, ...others];
  const picked = await plainWindow.showQuickPick(shown, {
    title: vscode.l10n.t("Start a sweep"),
    placeHolder:
      chosen.size === 0
        ? vscode.l10n.t("Which setting varies?")
        : vscode.l10n.t("Which other setting varies?"),
    matchOnDescription: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  return picked?.setting;
}

function askValues(
  setting: SimpleSetting,
  chosen: Chosen,
  fault: (entered: string) => string | undefined,
): Thenable<string | undefined> {
  const { key, field } = setting;
  return plainWindow.showInputBox({
    title: key,
    prompt: vscode.l10n.t(
      "{0} Expected: {1}. Separate values with commas; leave empty to keep the setting.",
      plainDoc(field),
      expectationOf(field),
    ),
    value: chosen.get(key) ?? shownValue(setting),
    ignoreFocusOut: true,
    validateInput: (entered) => (entered.trim() === "" ? undefined : fault(entered)),
  });
}

/** `key=value,value` each. */
export function gridTexts(chosen: Chosen): readonly string[] {
  return [...chosen].map(([key, values]) => `${key}=${values}`);
}

function combinations(chosen: Chosen): number {
  return countCombinations(
    [...chosen].map(([key, values]) => ({ key, values: splitValues(values) })),
  );
}
