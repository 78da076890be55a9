/** What the key commands ask people; `windowUi.ts` shows it. No question and no row ever holds a value. */

import type { Listening } from "../../core/util/emitter.ts";

export interface PickRow<Value> {
  readonly value: Value;
  readonly label: string;
  readonly description?: string | undefined;
  readonly detail?: string | undefined;
  /** Ticked at first, where several can be. */
  readonly isPicked?: boolean | undefined;
  /** Heading above this row and those that follow. */
  readonly heading?: string | undefined;
}

export interface Question<Value> {
  readonly title: string;
  readonly placeholder: string;
  readonly rows: readonly PickRow<Value>[];
}

export interface RowButton<Action> {
  readonly action: Action;
  /** Name of a codicon. */
  readonly icon: string;
  readonly tooltip: string;
}

export interface ButtonRow<Value, Action> extends PickRow<Value> {
  readonly buttons: readonly RowButton<Action>[];
  /** What Enter does; absent = nothing. */
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
  /** True keeps the input from being accepted. */
  readonly isRefusal: boolean;
}

export interface InputQuestion {
  readonly title: string;
  readonly prompt: string;
  /** Dots instead of what is typed. */
  readonly isSecret: boolean;
  readonly check: (typed: string) => InputRemark | null;
}

/** Everything resolves with undefined when the user goes away. */
export interface KeyUi {
  pick<Value>(question: Question<Value>): Promise<Value | undefined>;
  pickMany<Value>(question: Question<Value>): Promise<readonly Value[] | undefined>;
  /** A list whose rows have buttons; it follows changes while it is open. */
  pickAction<Value, Action>(
    question: ButtonQuestion<Value, Action>,
  ): Promise<{ readonly value: Value; readonly action: Action } | undefined>;
  input(question: InputQuestion): Promise<string | undefined>;
  /** A modal dialog; true when the action was chosen. With a `refusal`, Enter refuses. */
  confirm(message: string, detail: string, action: string, refusal?: string): Promise<boolean>;
  /** A notification; resolves with the chosen one of `actions`. */
  notify(message: string, actions: readonly string[]): Promise<string | undefined>;
  /** A few seconds in the status bar. */
  showMessage(message: string): void;
  /** Shows `title` in the status bar while `work` continues. */
  busy<Result>(title: string, work: () => Promise<Result>): Promise<Result>;
}
