/**
 * A curriculum's knowledge of tasks, stored in `state.json` as text with one line per task: a run may have tried tens of
 * thousands, and as lists of numbers they would exceed the JSON reader's limit on entries.
 */

/** The policy's record on a task. */
export interface TaskEvidence {
  readonly successes: number;
  readonly failures: number;
  /** Mean tokens per rollout. */
  readonly tokens: number;
  /** The last step that trained on it, from 0. */
  readonly step: number;
}

/** Four numbers, then the name. */
const EVIDENCE = /^(\S+) (\S+) (\S+) (\d+) (.+)$/;
const KNOWN = /^(\S+) (.+)$/;

export function writeEvidence(tasks: Iterable<readonly [string, TaskEvidence]>): string {
  return asLines(tasks, ([name, { successes, failures, tokens, step }]) =>
    [successes, failures, tokens, step, name].join(" "),
  );
}

/** By task name; null for malformed text. */
export function readEvidence(text: string): ReadonlyMap<string, TaskEvidence> | null {
  return readAll(text, EVIDENCE, (numbers) => {
    const [successes = 0, failures = 0, tokens = 0, step = 0] = numbers;
    return { successes, failures, tokens, step };
  });
}

export function writeKnown(known: Iterable<readonly [string, number]>): string {
  return asLines(known, ([name, success]) => `${success} ${name}`);
}

/** Like {@link readEvidence}. */
export function readKnown(text: string): ReadonlyMap<string, number> | null {
  return readAll(text, KNOWN, ([success = 0]) => success);
}

function asLines<T>(items: Iterable<T>, lineOf: (item: T) => string): string {
  return Array.from(items, lineOf).join("\n");
}

function readAll<T>(
  text: string,
  form: RegExp,
  valueIn: (numbers: readonly number[]) => T,
): ReadonlyMap<string, T> | null {
  const all = new Map<string, T>();
  for (const line of text === "" ? [] : text.split("\n")) {
    const found = form.exec(line)?.slice(1) ?? [];
    const numbers = found.slice(0, -1).map(Number);
    const name = found.at(-1);
    if (name === undefined || !numbers.every((value) => value >= 0 && Number.isFinite(value))) {
      return null;
    }
    all.set(name, valueIn(numbers));
  }
  return all;
}
