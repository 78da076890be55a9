/** The prompts of the key commands. No prompt or row ever contains a value. */

import * as vscode from "vscode";
import type { Listening } from "../../core/util/emitter.ts";
import { type PlainItem, plainWindow } from "../vscode/plainWindow.ts";

/** A row of a list; `picked` = initially checked, in a multi-select list. */
export interface PickRow<Value> extends PlainItem {
  readonly value: Value;
}

export interface Question<Value> {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: readonly PickRow<Value>[];
}

export interface RowButton<Action> {
  readonly action: Action;
  /** A codicon name. */
  readonly icon: string;
  readonly tooltip: string;
}

export interface ButtonRow<Value, Action> extends Omit<PickRow<Value>, "buttons"> {
  /** Heading above this row and the following ones. */
  readonly heading?: string | undefined;
  readonly actions: readonly RowButton<Action>[];
  /** The action for Enter; absent = none. */
  readonly onEnter?: Action;
}

export interface ButtonQuestion<Value, Action> {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: () => Promise<readonly ButtonRow<Value, Action>[]>;
  /** Calls back when the rows may have changed. */
  readonly onChange: (listener: () => void) => Listening;
}

export interface InputRemark {
  readonly text: string;
  /** True prevents the input from being accepted. */
  readonly isRefusal: boolean;
}

export interface InputQuestion {
  readonly title: string;
  readonly prompt: string;
  /** Masks the typed text. */
  readonly isSecret: boolean;
  readonly check: (typed: string) => InputRemark | null;
}

export type KeyUi = typeof keyUi;

/** All prompts resolve with undefined if the user dismisses them. */
export const keyUi = {
  pick,
  pickMany,
  pickAction,
  input: async ({ title, prompt, isSecret, check }: InputQuestion): Promise<string | undefined> =>
    plainWindow.showInputBox({
      title,
      prompt,
      password: isSecret,
      // The user may switch to a browser to fetch the key.
      ignoreFocusOut: true,
      validateInput: (typed) => messageOf(check(typed)),
    }),
  confirm: plainWindow.confirm,
  /** A notification; resolves with the chosen action. */
  notify: async (message: string, actions: readonly string[]): Promise<string | undefined> =>
    plainWindow.showInformationMessage(message, ...actions),
  /** Shows a text in the status bar for a few seconds. */
  showMessage: (message: string): void => plainWindow.setStatusBarMessage(message),
  /** Shows `title` in the status bar while `work` runs. */
  busy: async <Result>(title: string, work: () => Promise<Result>): Promise<Result> =>
    plainWindow.withProgress({ location: vscode.ProgressLocation.Window, title }, work),
};

/** A list displays what is typed into it, so a pasted key is removed immediately. */
function pick<Value>(question: Question<Value>): Promise<Value | undefined> {
  const { list, show } = plainWindow.createQuickPick<PickRow<Value>>(question);
  list.matchOnDescription = true;
  show(question.rows);
  const texts = question.rows.map(({ label, description = "" }) => `${label}\n${description}`);
  return new Promise((resolve) => {
    list.onDidChangeValue((typed) => {
      if (!mayBeKey(typed, texts)) return;
      list.value = "";
      const text = vscode.l10n.t(
        "The pasted text was discarded. Choose a key first, then paste it into the next box.",
      );
      plainWindow.setStatusBarMessage(text);
    });
    list.onDidAccept(() => {
      resolve(list.activeItems[0]?.value);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

async function pickMany<Value>(question: Question<Value>): Promise<readonly Value[] | undefined> {
  const { title, placeholder: placeHolder, rows } = question;
  const chosen = await plainWindow.showQuickPickMany(rows, { title, placeHolder });
  return chosen?.map(({ value }) => value);
}

/** Keys are longer, and words typed to filter a list are shorter. */
const LEAST_LENGTH = 12;

/** True for text that may be a pasted key: a long word that occurs in none of the list's texts. */
export function mayBeKey(typed: string, texts: readonly string[]): boolean {
  const word = typed.trim().toLowerCase();
  if (word.length < LEAST_LENGTH || /\s/.test(word)) return false;
  return !texts.some((text) => text.toLowerCase().includes(word));
}

function messageOf(remark: InputRemark | null): vscode.InputBoxValidationMessage | null {
  if (remark === null) return null;
  const { Error: refusal, Info: hint } = vscode.InputBoxValidationSeverity;
  return { message: remark.text, severity: remark.isRefusal ? refusal : hint };
}

interface ActionButton<Action> extends vscode.QuickInputButton {
  readonly action: Action;
}

interface ActionItem<Row> extends PlainItem {
  /** Absent on headings. */
  readonly row?: Row;
}

/** A list whose rows have buttons; it updates while open. */
function pickAction<Value, Action>(
  question: ButtonQuestion<Value, Action>,
): Promise<{ readonly value: Value; readonly action: Action } | undefined> {
  type Row = ButtonRow<Value, Action>;
  const { list, show } = plainWindow.createQuickPick<ActionItem<Row>>(question);
  list.matchOnDescription = true;
  list.matchOnDetail = true;

  let isOpen = true;
  async function load(): Promise<void> {
    list.busy = true;
    const rows = await question.rows();
    if (!isOpen) return;
    show(
      rows.flatMap((row) => {
        const { label, description, detail, heading } = row;
        const item = { row, label, description, detail, buttons: row.actions.map(buttonOf) };
        const { Separator } = vscode.QuickPickItemKind;
        return heading === undefined ? [item] : [{ label: heading, kind: Separator }, item];
      }),
    );
    list.busy = false;
  }

  return new Promise((resolve, reject) => {
    const subscription = question.onChange(() => void load().catch(reject));
    const end = (row: Row | undefined, action: Action | undefined): void => {
      if (row !== undefined && action !== undefined) resolve({ value: row.value, action });
      else resolve(undefined);
      list.hide();
    };
    list.onDidTriggerItemButton(({ item, button }) =>
      // All buttons of our rows are created by `buttonOf`.
      end(item.row, (button as ActionButton<Action>).action),
    );
    list.onDidAccept(() => {
      const row = list.activeItems[0]?.row;
      if (row?.onEnter !== undefined) end(row, row.onEnter);
    });
    list.onDidHide(() => {
      isOpen = false;
      resolve(undefined);
      subscription.dispose();
      list.dispose();
    });
    list.show();
    void load().catch(reject);
  });
}

function buttonOf<Action>(button: RowButton<Action>) {
  const { action, icon, tooltip } = button;
  return { action, tooltip, iconPath: new vscode.ThemeIcon(icon) };
}
