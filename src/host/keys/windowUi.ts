/** Shows the key commands' prompts in the editor window. */

import * as vscode from "vscode";
import { type PlainItem, plainWindow } from "../vscode/plainWindow.ts";
import type {
  ButtonQuestion,
  ButtonRow,
  InputRemark,
  KeyUi,
  PickRow,
  Question,
  RowButton,
} from "./keyUi.ts";
import { mayBeKey } from "./mayBeKey.ts";

export const windowUi: KeyUi = {
  pick,
  pickMany: async ({ title, placeholder, rows }) => {
    const chosen = await plainWindow.showQuickPickMany(rows, { title, placeHolder: placeholder });
    return chosen?.map(({ value }) => value);
  },
  pickAction,
  input: async ({ title, prompt, isSecret, check }) =>
    plainWindow.showInputBox({
      title,
      prompt,
      password: isSecret,
      // The user may switch to a browser to fetch the key.
      ignoreFocusOut: true,
      validateInput: (typed) => messageOf(check(typed)),
    }),
  confirm: async (message, detail, action, refusal) => {
    const options = { modal: true, detail };
    // Enter presses the first button.
    const buttons = refusal === undefined ? [action] : [refusal, action];
    return (await plainWindow.showWarningMessage(message, options, ...buttons)) === action;
  },
  notify: async (message, actions) => plainWindow.showInformationMessage(message, ...actions),
  showMessage: (message) => {
    plainWindow.setStatusBarMessage(message);
  },
  busy: async (title, work) =>
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
