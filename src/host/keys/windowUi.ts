/** Shows the key commands' prompts in the editor window. */

import * as vscode from "vscode";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";
import { plainWindow } from "../vscode/plainWindow.ts";
import type { ButtonQuestion, ButtonRow, InputRemark, KeyUi, PickRow, Question } from "./keyUi.ts";
import { mayBeKey } from "./mayBeKey.ts";

export const windowUi: KeyUi = {
  pick,
  pickMany: async (question) => {
    const { title, placeholder } = question;
    const options = { title, placeHolder: placeholder };
    const chosen = await plainWindow.showQuickPickMany(itemsOf(question), options);
    return chosen?.flatMap(({ row }) => (row === undefined ? [] : [row.value]));
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
  const { list, show } = plainWindow.createQuickPick<RowItem<PickRow<Value>>>(question);
  list.matchOnDescription = true;
  show(itemsOf(question));
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
      resolve(list.activeItems[0]?.row?.value);
      list.hide();
    });
    list.onDidHide(() => {
      resolve(undefined);
      list.dispose();
    });
    list.show();
  });
}

interface RowItem<Row> extends vscode.QuickPickItem {
  /** Absent on headings. */
  readonly row?: Row;
}

function itemsOf<Value>({ rows }: Pick<Question<Value>, "rows">): RowItem<PickRow<Value>>[] {
  return rows.flatMap((row) => withHeading(row, itemOf(row)));
}

function withHeading<Row extends PickRow<unknown>>(row: Row, item: RowItem<Row>): RowItem<Row>[] {
  if (row.heading === undefined) return [item];
  return [{ label: row.heading, kind: vscode.QuickPickItemKind.Separator }, item];
}

function itemOf<Row extends PickRow<unknown>>(row: Row): RowItem<Row> {
  return withoutUndefined({
    row,
    label: row.label,
    description: row.description,
    detail: row.detail,
    picked: row.isPicked,
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

function pickAction<Value, Action>(
  question: ButtonQuestion<Value, Action>,
): Promise<{ readonly value: Value; readonly action: Action } | undefined> {
  type Row = ButtonRow<Value, Action>;
  const { list, show } = plainWindow.createQuickPick<RowItem<Row>>(question);
  list.matchOnDescription = true;
  list.matchOnDetail = true;

  let isOpen = true;
  async function load(): Promise<void> {
    list.busy = true;
    const rows = await question.rows();
    if (!isOpen) return;
    show(
      rows.flatMap((row) =>
        withHeading(row, { ...itemOf(row), buttons: row.buttons.map(buttonOf) }),
      ),
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

function buttonOf<Action>(button: ButtonRow<unknown, Action>["buttons"][number]) {
  const { action, icon, tooltip } = button;
  return { action, tooltip, iconPath: new vscode.ThemeIcon(icon) };
}
