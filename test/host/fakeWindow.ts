/** VS Code's window with a scripted user, and what was shown to that user. */

interface Item {
  readonly label: string;
  readonly description?: string;
  readonly picked?: boolean;
}

interface Box {
  readonly title?: string;
  readonly prompt?: string;
  readonly value?: string;
  readonly validateInput?: (text: string) => unknown;
  readonly ignoreFocusOut?: boolean;
}

interface Options {
  readonly detail?: string;
}

const script = () => ({
  /** Labels of the rows to pick in each list; `accept` = Enter right away; undefined, or no more = the list is dismissed. */
  picks: [] as (readonly string[] | "accept" | undefined)[],
  /** What is typed into each box; no more = it is dismissed. */
  types: [] as (string | ((box: Required<Box>) => string | undefined))[],
  /** Buttons that are pressed wherever a message has them. */
  presses: [] as readonly string[],
  isCanceled: false,
});

const record = () => ({
  /** The rows of each list. */
  lists: [] as (readonly Item[])[],
  /** Whether each list and box stays open when the focus moves. */
  stays: [] as boolean[],
  /** Of messages, the status bar, and boxes. */
  texts: [] as string[],
  /** Of modal messages. */
  details: [] as string[],
  /** Of each message. */
  buttons: [] as (readonly string[])[],
  /** What was reported next to a progress title. */
  progress: [] as string[],
});

export const user = { ...script(), ...record() };

/** Call before each test. */
export function resetUser(): void {
  Object.assign(user, script(), record());
}

/** The labels of each list. */
export function shownLabels(): readonly (readonly string[])[] {
  return user.lists.map((items) => items.map(({ label }) => label));
}

async function message(text: string, first?: Options | string, ...others: readonly string[]) {
  const buttons = typeof first === "string" ? [first, ...others] : others;
  user.texts.push(text);
  user.buttons.push(buttons);
  if (typeof first === "object" && first.detail !== undefined) user.details.push(first.detail);
  return buttons.find((button) => user.presses.includes(button));
}

export const fakeWindow = {
  activeTextEditor: undefined,
  showInformationMessage: message,
  showWarningMessage: message,
  showErrorMessage: message,
  setStatusBarMessage: (text: string) => void user.texts.push(text),
  showQuickPick: async (
    items: readonly Item[],
    {
      canPickMany = false,
      ignoreFocusOut = false,
    }: { readonly canPickMany?: boolean; readonly ignoreFocusOut?: boolean },
  ) => {
    user.lists.push(items);
    user.stays.push(ignoreFocusOut);
    const picks = user.picks.shift();
    if (picks === undefined) return undefined;
    const chosen =
      picks === "accept"
        ? items.filter(({ picked }, index) => (canPickMany ? picked : index === 0))
        : items.filter(({ label }) => picks.includes(label));
    return canPickMany ? chosen : chosen[0];
  },
  showInputBox: async ({
    title = "",
    prompt = "",
    value = "",
    validateInput,
    ignoreFocusOut = false,
  }: Box) => {
    user.texts.push(title || prompt);
    user.stays.push(ignoreFocusOut);
    const typed = user.types.shift();
    const check = validateInput ?? (() => null);
    return typeof typed === "function"
      ? typed({ title, prompt, value, validateInput: check, ignoreFocusOut })
      : typed;
  },
  withProgress: (_: unknown, work: (progress: unknown, token: unknown) => Promise<unknown>) =>
    work(
      { report: ({ message }: { readonly message: string }) => user.progress.push(message) },
      {
        get isCancellationRequested() {
          return user.isCanceled;
        },
      },
    ),
};
