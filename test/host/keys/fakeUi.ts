/** A user with scripted answers, and a record of everything that was shown. */

import type {
  ButtonQuestion,
  ButtonRow,
  InputQuestion,
  KeyUi,
  PickRow,
  Question,
} from "../../../src/host/keys/keyUi.ts";

export type Answer =
  /** Picks the row whose label begins with this. */
  | { readonly pick: string }
  | { readonly tick: readonly string[] }
  /** Accepts the preselected rows. */
  | "accept"
  | { readonly press: string; readonly on: string }
  | { readonly type: string }
  | { readonly confirm: boolean }
  | { readonly notify: string }
  | "leave";

export class FakeUi implements KeyUi {
  readonly shown: string[] = [];
  readonly #answers: Answer[];

  constructor(...answers: readonly Answer[]) {
    this.#answers = [...answers];
  }

  get unused(): number {
    return this.#answers.length;
  }

  /** Everything that was shown, as one string. */
  get text(): string {
    return this.shown.join("\n");
  }

  async pick<Value>(question: Question<Value>): Promise<Value | undefined> {
    this.#show(question);
    const answer = this.#next("pick");
    return answer === null ? undefined : rowAt(question.rows, answer.pick).value;
  }

  async pickMany<Value>(question: Question<Value>): Promise<readonly Value[] | undefined> {
    this.#show(question);
    if (this.#answers[0] === "accept") {
      this.#answers.shift();
      return question.rows.filter(({ picked }) => picked).map(({ value }) => value);
    }
    return this.#next("tick")?.tick.map((label) => rowAt(question.rows, label).value);
  }

  async pickAction<Value, Action>(question: ButtonQuestion<Value, Action>) {
    const rows = await question.rows();
    this.#show({ ...question, rows });
    this.shown.push(...rows.flatMap(({ actions }) => actions.map(({ tooltip }) => tooltip)));
    const answer = this.#next("press");
    if (answer === null) return undefined;
    const row: ButtonRow<Value, Action> = rowAt(rows, answer.on);
    const button = row.actions.find(({ tooltip }) => tooltip === answer.press);
    if (button === undefined) throw new Error(`${answer.on} has no button ${answer.press}`);
    return { value: row.value, action: button.action };
  }

  /** Types the next value while the input is rejected. */
  async input({ title, prompt, check }: InputQuestion): Promise<string | undefined> {
    this.shown.push(title, prompt);
    for (;;) {
      const answer = this.#next("type");
      if (answer === null) return undefined;
      const remark = check(answer.type);
      if (remark !== null) this.shown.push(remark.text);
      if (remark === null || !remark.isRefusal) return answer.type;
    }
  }

  async confirm(...texts: readonly (string | undefined)[]): Promise<boolean> {
    this.shown.push(...texts.filter((text) => text !== undefined));
    return this.#next("confirm")?.confirm ?? false;
  }

  async notify(message: string, actions: readonly string[]): Promise<string | undefined> {
    this.shown.push(message, ...actions);
    return actions.length === 0 ? undefined : this.#next("notify")?.notify;
  }

  showMessage(message: string): void {
    this.shown.push(message);
  }

  async busy<Result>(title: string, work: () => Promise<Result>): Promise<Result> {
    this.shown.push(title);
    return await work();
  }

  #show({
    title,
    placeholder,
    rows,
  }: Omit<Question<unknown>, "rows"> & {
    readonly rows: readonly (Question<unknown>["rows"][number] & {
      readonly heading?: string | undefined;
    })[];
  }): void {
    const texts = rows.flatMap(({ label, description, detail, heading }) => [
      heading,
      label,
      description,
      detail,
    ]);
    this.shown.push(title, placeholder, ...texts.filter((text) => text !== undefined));
  }

  #next<Kind extends string>(kind: Kind): Extract<Answer, Record<Kind, unknown>> | null {
    const answer = this.#answers.shift();
    if (answer === "leave") return null;
    if (typeof answer === "object" && kind in answer) {
      return answer as Extract<Answer, Record<Kind, unknown>>; // the answer for this kind
    }
    throw new Error(`asked for ${kind}, the script says ${JSON.stringify(answer)}:\n${this.text}`);
  }
}

function rowAt<Row extends PickRow<unknown>>(rows: readonly Row[], label: string): Row {
  const row = rows.find((one) => one.label.startsWith(label));
  if (row === undefined) throw new Error(`no row ${label} among ${rows.map((r) => r.label)}`);
  return row;
}
