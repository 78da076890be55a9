/**
 * All notifications, prompts, lists and status bar messages go through here. The editor would turn parts of their texts into links (even
 * ones that run commands) and icons; this module removes them.
 */

import * as vscode from "vscode";
import { plainLabel, plainText } from "../../core/util/plainText.ts";
import { withoutUndefined } from "../../shared/withoutUndefined.ts";

export interface PlainItem extends Omit<vscode.QuickPickItem, "description" | "detail"> {
  readonly description?: string | undefined;
  readonly detail?: string | undefined;
  /** A codicon name. */
  readonly icon?: string | undefined;
}

export type Button = readonly [title: string, act: () => unknown];

type Message = "showInformationMessage" | "showWarningMessage" | "showErrorMessage";
type ListOptions = Omit<vscode.QuickPickOptions, "canPickMany">;

/** Functions of `vscode.window` with the same names. Button titles and file dialogs use only this program's own texts. */
export const plainWindow = {
  showInformationMessage: message("showInformationMessage"),
  showWarningMessage: message("showWarningMessage"),
  showErrorMessage: message("showErrorMessage"),

  /** Shows a message with buttons, and does what the chosen one is for. */
  offer: async (
    kind: "Information" | "Warning" | "Error",
    text: string,
    buttons: readonly Button[],
  ): Promise<void> => {
    const titles = buttons.map(([title]) => title);
    const chosen = await plainWindow[`show${kind}Message`](text, ...titles);
    await buttons.find(([title]) => title === chosen)?.[1]();
  },

  /** A modal question with a button `yes`; true if it was chosen. With `no`, Enter, which presses the first button, refuses. */
  confirm: async (title: string, detail: string, yes: string, no?: string): Promise<boolean> => {
    const buttons = no === undefined ? [yes] : [no, yes];
    const options = { modal: true, detail };
    return (await plainWindow.showWarningMessage(title, options, ...buttons)) === yes;
  },

  /** `icon` is a codicon name. */
  setStatusBarMessage: (
    text: string,
    { shownMs = 5_000, icon }: { readonly shownMs?: number; readonly icon?: string } = {},
  ): void => {
    const label = plainLabel(text);
    vscode.window.setStatusBarMessage(icon === undefined ? label : `$(${icon}) ${label}`, shownMs);
  },

  withProgress: <Result>(
    { title, ...options }: vscode.ProgressOptions,
    work: (
      token: vscode.CancellationToken,
      /** Shows a message next to the title. */
      report: (message: string) => void,
    ) => Thenable<Result>,
  ): Thenable<Result> => {
    const plain = title === undefined ? {} : { title: plainLabel(title) };
    return vscode.window.withProgress({ ...options, ...plain }, (progress, token) =>
      work(token, (message) => progress.report({ message: plainLabel(message) })),
    );
  },

  showQuickPick: async <Item extends PlainItem>(
    items: readonly Item[],
    options: ListOptions,
  ): Promise<Item | undefined> => {
    const plain = items.map(plainItem);
    const chosen = await vscode.window.showQuickPick(plain, plainOptions(options));
    return chosen && items[plain.indexOf(chosen)];
  },

  showQuickPickMany: async <Item extends PlainItem>(
    items: readonly Item[],
    options: ListOptions,
  ): Promise<readonly Item[] | undefined> => {
    const plain = items.map(plainItem);
    const chosen = await vscode.window.showQuickPick(plain, {
      ...plainOptions(options),
      canPickMany: true,
    });
    return chosen && items.filter((_, index) => chosen.some((item) => item === plain[index]));
  },

  /** A list that `show` fills, repeatedly while it is open. */
  createQuickPick: <Item extends PlainItem>(texts: {
    readonly title: string;
    readonly placeholder: string;
  }): {
    readonly list: Omit<
      vscode.QuickPick<Item & vscode.QuickPickItem>,
      "items" | "title" | "placeholder"
    >;
    readonly show: (items: readonly Item[]) => void;
  } => {
    const list = vscode.window.createQuickPick<Item & vscode.QuickPickItem>();
    list.title = plainLabel(texts.title);
    list.placeholder = plainLabel(texts.placeholder);
    const show = (items: readonly Item[]): void => {
      list.items = items.map(plainItem);
    };
    return { list, show };
  },

  showInputBox: ({
    validateInput,
    ...options
  }: Omit<vscode.InputBoxOptions, "validateInput"> & {
    readonly validateInput?: (value: string) => Remark;
  }): Thenable<string | undefined> =>
    vscode.window.showInputBox({
      ...plainOptions(options),
      ...withoutUndefined({
        prompt: options.prompt && plainText(options.prompt),
        validateInput: validateInput && ((value: string) => plainRemark(validateInput(value))),
      }),
    }),
} as const;

type Remark = string | vscode.InputBoxValidationMessage | null | undefined;

function message(show: Message) {
  return (
    text: string,
    first?: vscode.MessageOptions | string,
    ...others: readonly string[]
  ): Thenable<string | undefined> => {
    if (typeof first === "string") return vscode.window[show](plainText(text), first, ...others);
    const { detail } = first ?? {};
    const plain = detail === undefined ? {} : { detail: plainText(detail) };
    return vscode.window[show](plainText(text), { ...first, ...plain }, ...others);
  };
}

function plainItem<Item extends PlainItem>(item: Item): Item & vscode.QuickPickItem {
  const { icon, label, description, detail } = item;
  return {
    ...item,
    label: plainLabel(label),
    ...withoutUndefined({
      description: description && plainLabel(description),
      detail: detail && plainLabel(detail),
      iconPath: icon === undefined ? undefined : new vscode.ThemeIcon(icon),
    }),
  };
}

function plainOptions<Options extends { readonly title?: string; readonly placeHolder?: string }>(
  options: Options,
): Options {
  const { title, placeHolder } = options;
  return {
    ...options,
    ...withoutUndefined({
      title: title && plainLabel(title),
      placeHolder: placeHolder && plainLabel(placeHolder),
    }),
  };
}

function plainRemark(remark: Remark): Remark {
  if (typeof remark === "string") return plainText(remark);
  return remark && { ...remark, message: plainText(remark.message) };
}
