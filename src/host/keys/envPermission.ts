/** Whether runs of a folder may read keys from a file. */

import { dirname, sep } from "node:path";
import * as vscode from "vscode";
import { isJsonObject } from "../../core/json.ts";
import { plainLabel } from "../../core/util/plainText.ts";
import type { Memento } from "../vscode/memento.ts";
import { AnswerMemory } from "./answerMemory.ts";
import type { KeyUi } from "./keyUi.ts";

export interface EnvPermissionOptions {
  readonly memory: Memento;
  readonly ui: Pick<KeyUi, "notify">;
  readonly isTrusted: () => boolean;
  /** The setting `env.read`. */
  readonly setting: () => "ask" | "always" | "never";
  /** Sets `env.read` to `always`. */
  readonly allowAlways: () => PromiseLike<void>;
}

/** A file read for runs. Permission is per folder and file, because either can come from a stranger. */
export interface EnvFileUse {
  /** Real path of the folder for which runs are started. */
  readonly folder: string;
  /** Real path, with links resolved. */
  readonly file: string;
}

export type EnvAnswer = "yes" | "no" | "not asked";

interface Answered extends EnvFileUse {
  readonly mayRead: boolean;
}

/** Asks once per folder and file; answers are kept until forgotten. */
export class EnvPermission {
  readonly #options: EnvPermissionOptions;
  readonly #answers: AnswerMemory<EnvFileUse, Answered>;

  constructor(options: EnvPermissionOptions) {
    this.#options = options;
    this.#answers = new AnswerMemory({
      memory: options.memory,
      key: "keys.envFiles",
      isAnswer: isAnswered,
      idOf: ({ folder, file }) => JSON.stringify([folder, file]),
    });
  }

  /** Called when a run starts. Never asks in Restricted Mode. */
  async mayRead(use: EnvFileUse): Promise<boolean> {
    const answer = this.answer(use);
    if (answer !== "not asked") return answer === "yes";
    return await this.#answers.ask(use, () => this.#ask(use));
  }

  /** The answer without prompting. `always` only covers files inside the folder; others could belong to anyone. */
  answer(use: EnvFileUse): EnvAnswer {
    const { isTrusted, setting } = this.#options;
    const set = setting();
    if (!isTrusted() || set === "never") return "no";
    if (set === "always" && use.file.startsWith(use.folder + sep)) return "yes";
    const known = this.#answers.find(use);
    if (known === undefined) return "not asked";
    return known.mayRead ? "yes" : "no";
  }

  /** Individual answers, while the setting allows them. */
  answered(): readonly Answered[] {
    return this.#options.setting() === "never" ? [] : this.#answers.list();
  }

  /** Forgets the answer, so that the next run asks again. */
  async forget(use: EnvFileUse): Promise<void> {
    await this.#answers.forget(use);
  }

  async #ask(use: EnvFileUse): Promise<boolean> {
    const yes = vscode.l10n.t("Yes");
    const always = vscode.l10n.t("Always");
    const no = vscode.l10n.t("No");
    const isGeneral = this.#options.setting() === "ask" && use.file.startsWith(use.folder + sep);
    const actions = isGeneral ? [yes, always, no] : [yes, no];
    const chosen = await this.#options.ui.notify(questionAbout(use), actions);
    if (chosen === undefined) return false;
    if (chosen === always) {
      await this.#options.allowAlways();
      return true;
    }
    await this.#answers.keep({ ...use, mayRead: chosen === yes });
    return chosen === yes;
  }
}

function questionAbout({ folder, file }: EnvFileUse): string {
  const [of, from] = [folder, file].map(plainLabel);
  return dirname(file) === folder
    ? vscode.l10n.t("Let runs read keys from {0}?", from ?? "")
    : vscode.l10n.t("Let runs of {0} read keys from {1}?", of ?? "", from ?? "");
}

function isAnswered(stored: unknown): stored is Answered {
  if (!isJsonObject(stored)) return false;
  const { folder, file, mayRead } = stored;
  return typeof folder === "string" && typeof file === "string" && typeof mayRead === "boolean";
}
