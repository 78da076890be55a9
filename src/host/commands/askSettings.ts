/** Asks for values of settings, one after the other, until the user is done with them. */

import { type PlainItem, plainWindow } from "../vscode/plainWindow.ts";
import { type SimpleSetting, shortDoc, shownValue } from "./tunableSettings.ts";

/** What was entered, by key. */
export type Chosen = ReadonlyMap<string, string>;

export interface SettingsQuestion {
  readonly settings: readonly SimpleSetting[];
  readonly title: string;
  readonly placeHolder: (chosen: Chosen) => string;
  readonly ignoreFocusOut: boolean;
  /** How a setting with a new value looks. */
  readonly row: (setting: SimpleSetting, value: string) => Pick<PlainItem, "description" | "icon">;
  /** The row that ends the questions. */
  readonly done: (chosen: Chosen) => Pick<PlainItem, "label" | "description" | "detail">;
  /** What the box of a setting says. */
  readonly prompt: (setting: SimpleSetting) => string;
  /** What leaves a setting as it is. */
  readonly unchanged: (setting: SimpleSetting) => string;
  /** What is wrong with the values; undefined = nothing. */
  readonly fault: (chosen: Chosen) => string | undefined;
}

/** Undefined when the user gave up. */
export async function askSettings(question: SettingsQuestion): Promise<Chosen | undefined> {
  const chosen = new Map<string, string>();
  for (;;) {
    const setting = await pickSetting(question, chosen);
    if (setting === undefined) return undefined;
    if (setting === "done") return chosen;
    const entered = await askValue(question, setting, chosen);
    if (entered === question.unchanged(setting)) chosen.delete(setting.key);
    else if (entered !== undefined) chosen.set(setting.key, entered);
  }
}

async function pickSetting(
  { settings, title, placeHolder, ignoreFocusOut, row, done }: SettingsQuestion,
  chosen: Chosen,
): Promise<SimpleSetting | "done" | undefined> {
  const items = settings.map((setting) => {
    const value = chosen.get(setting.key);
    const shown = value === undefined ? { description: shownValue(setting) } : row(setting, value);
    return { label: setting.key, detail: shortDoc(setting.field), ...shown, setting };
  });
  const end = { icon: "check", alwaysShow: true, setting: "done" as const, ...done(chosen) };
  const varied = items.filter(({ label }) => chosen.has(label));
  const others = items.filter(({ label }) => !chosen.has(label));
  const picked = await plainWindow.showQuickPick(
    chosen.size === 0 ? items : [end, ...varied, ...others],
    {
      title,
      placeHolder: placeHolder(chosen),
      matchOnDescription: true,
      matchOnDetail: true,
      ignoreFocusOut,
    },
  );
  return picked?.setting;
}

function askValue(
  { prompt, unchanged, fault, ignoreFocusOut }: SettingsQuestion,
  setting: SimpleSetting,
  chosen: Chosen,
): Thenable<string | undefined> {
  const { key } = setting;
  return plainWindow.showInputBox({
    title: key,
    prompt: prompt(setting),
    value: chosen.get(key) ?? shownValue(setting),
    ignoreFocusOut,
    validateInput: (entered) =>
      entered.trim() === unchanged(setting)
        ? undefined
        : fault(new Map([...chosen, [key, entered]])),
  });
}

/** `key=value` each. */
export function assignments(chosen: Chosen): readonly string[] {
  return [...chosen].map(([key, value]) => `${key}=${value}`);
}
