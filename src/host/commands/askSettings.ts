/** Asks for values of settings, one after another, until the user is done. */

import { type PlainItem, plainWindow } from "../vscode/plainWindow.ts";
import { type SimpleSetting, shortDoc, shownValue } from "./tunableSettings.ts";

/** The entered values, by key. */
export type Chosen = ReadonlyMap<string, string>;

export interface SettingsQuestion {
  readonly settings: readonly SimpleSetting[];
  readonly title: string;
  readonly placeHolder: (chosen: Chosen) => string;
  readonly ignoreFocusOut: boolean;
  /** The row for a setting with a new value. */
  readonly row: (setting: SimpleSetting, value: string) => Pick<PlainItem, "description" | "icon">;
  /** The row that ends the prompts. */
  readonly done: (chosen: Chosen) => Pick<PlainItem, "label" | "description" | "detail">;
  /** The prompt of a setting's input box. */
  readonly prompt: (setting: SimpleSetting) => string;
  /** The input that leaves a setting unchanged. */
  readonly unchanged: (setting: SimpleSetting) => string;
  /** The error in the values; undefined = none. */
  readonly fault: (chosen: Chosen) => string | undefined;
}

/** Undefined if the user canceled. */
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

/** Trimmed; undefined if the user canceled. */
async function askValue(
  { prompt, unchanged, fault, ignoreFocusOut }: SettingsQuestion,
  setting: SimpleSetting,
  chosen: Chosen,
): Promise<string | undefined> {
  const { key } = setting;
  const answer = await plainWindow.showInputBox({
    title: key,
    prompt: prompt(setting),
    value: chosen.get(key) ?? shownValue(setting),
    ignoreFocusOut,
    validateInput: (typed) => {
      const entered = typed.trim();
      if (entered === unchanged(setting)) return undefined;
      return fault(new Map([...chosen, [key, entered]]));
    },
  });
  return answer?.trim();
}

/** Each `key=value`. */
export function assignments(chosen: Chosen): readonly string[] {
  return [...chosen].map(([key, value]) => `${key}=${value}`);
}
