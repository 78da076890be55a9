/** Whether runs of a folder may read keys from a file. */

import { dirname, sep } from "node:path";
import * as vscode from "vscode";
import * as z from "zod";
import { plainLabel } from "../../core/util/plainText.ts";
import type { Memento } from "../vscode/memento.ts";
import { changeSetting, readSetting } from "../vscode/settings.ts";
import { answerMemory } from "./answerMemory.ts";
import type { KeyUi } from "./keyUi.ts";

export interface EnvPermissionOptions {
  readonly memory: Memento;
  readonly ui: Pick<KeyUi, "notify">;
}

const fileUse = {
  /** Real path of the folder for which runs are started. */
  folder: z.string(),
  /** Real path, with links resolved. */
  file: z.string(),
};
const answered = z.object({ ...fileUse, mayRead: z.boolean() }).readonly();

/** A file read for runs. Permission is per folder and file, because either can come from a stranger. */
export type EnvFileUse = Omit<z.infer<typeof answered>, "mayRead">;

export type EnvAnswer = "yes" | "no" | "not asked";

export type EnvPermission = ReturnType<typeof createEnvPermission>;

/** Asks once per folder and file; answers are kept until forgotten. */
export function createEnvPermission({ memory, ui }: EnvPermissionOptions) {
  const answers = answerMemory<EnvFileUse, z.infer<typeof answered>>({
    memory,
    key: "keys.envFiles",
    schema: answered,
    idOf: ({ folder, file }) => JSON.stringify([folder, file]),
  });
  const isInside = ({ folder, file }: EnvFileUse): boolean => file.startsWith(folder + sep);
  const answer = (use: EnvFileUse): EnvAnswer => {
    const set = readSetting("env.read");
    if (!vscode.workspace.isTrusted || set === "never") return "no";
    if (set === "always" && isInside(use)) return "yes";
    const known = answers.find(use);
    if (known === undefined) return "not asked";
    return known.mayRead ? "yes" : "no";
  };
  const ask = async (use: EnvFileUse): Promise<boolean> => {
    const yes = vscode.l10n.t("Yes");
    const always = vscode.l10n.t("Always");
    const no = vscode.l10n.t("No");
    const actions =
      readSetting("env.read") === "ask" && isInside(use) ? [yes, always, no] : [yes, no];
    const chosen = await ui.notify(questionAbout(use), actions);
    if (chosen === undefined) return false;
    if (chosen === always) {
      await changeSetting("env.read", "always");
      return true;
    }
    await answers.keep({ ...use, mayRead: chosen === yes });
    return chosen === yes;
  };
  return {
    /** The answer without prompting. `always` only covers files inside the folder; others could belong to anyone. */
    answer,
    /** Called when a run starts. Never asks in Restricted Mode. */
    mayRead: async (use: EnvFileUse): Promise<boolean> => {
      const known = answer(use);
      return known === "not asked" ? await answers.ask(use, () => ask(use)) : known === "yes";
    },
    /** Individual answers, while the setting allows them. */
    answered: () => (readSetting("env.read") === "never" ? [] : answers.list()),
    /** Forgets the answer, so that the next run asks again. */
    forget: answers.forget,
  };
}

function questionAbout({ folder, file }: EnvFileUse): string {
  const [of, from] = [folder, file].map(plainLabel);
  return dirname(file) === folder
    ? vscode.l10n.t("Let runs read keys from {0}?", from ?? "")
    : vscode.l10n.t("Let runs of {0} read keys from {1}?", of ?? "", from ?? "");
}
