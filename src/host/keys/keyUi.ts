/** The prompts of the key commands; implemented in `windowUi.ts`. No prompt or row ever contains a value. */

import type { Listening } from "../../core/util/emitter.ts";
import type { PlainItem } from "../vscode/plainWindow.ts";

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

/** All prompts resolve with undefined if the user dismisses them. */
export interface KeyUi {
  pick<Value>(question: Question<Value>): Promise<Value | undefined>;
  pickMany<Value>(question: Question<Value>): Promise<readonly Value[] | undefined>;
  /** A list whose rows have buttons; it updates while open. */
  pickAction<Value, Action>(
    question: ButtonQuestion<Value, Action>,
  ): Promise<{ readonly value: Value; readonly action: Action } | undefined>;
  input(question: InputQuestion): Promise<string | undefined>;
  /** A modal dialog; true when the action was chosen. With a `refusal`, Enter refuses. */
  confirm(message: string, detail: string, action: string, refusal?: string): Promise<boolean>;
  /** A notification; resolves with the chosen action. */
  notify(message: string, actions: readonly string[]): Promise<string | undefined>;
  /** Shows a text in the status bar for a few seconds. */
  showMessage(message: string): void;
  /** Shows `title` in the status bar while `work` runs. */
  busy<Result>(title: string, work: () => Promise<Result>): Promise<Result>;
}
