/** Runs parsed templates with a step limit, since templates ship with tokenizers from unknown authors. */

import { Environment, type Interpreter } from "@huggingface/jinja";
import { givenValue, PythonInterpreter } from "./pythonInterpreter.ts";
import { ValueSizes } from "./valueSizes.ts";

type Evaluate = Interpreter["evaluate"];
type Program = Parameters<Interpreter["run"]>[0];
type Statement = Parameters<Evaluate>[0];

/** About one second; a conversation of a thousand messages takes a twentieth of that. */
const MAX_STEPS = 2_000_000;
/** Each loop iteration creates the ten values of `loop`. */
const STEPS_OF_TURN = 10;
/** Number of characters or items that can be processed in the time of one step. */
const ITEMS_PER_STEP = 16;
/** Each call of a recursive macro uses a few levels. */
const MAX_DEPTH = 400;
/** These refer to an existing value; all other nodes create one, whose items take memory. */
const REFERENCES: ReadonlySet<string> = new Set(["Identifier", "MemberExpression"]);
/** Filters that repeat their argument for every item or line. */
const REPEATING: ReadonlySet<string> = new Set(["join", "indent", "tojson"]);
const MAX_REPEATED = 100;
/** The interpreter scans the whole body of these for special names on every evaluation. */
const READ_EACH_TIME: ReadonlySet<string> = new Set(["Macro", "CallStatement"]);
/** Same as Python's sandbox (`jinja2.sandbox.MAX_RANGE`). */
const MAX_RANGE = 100_000;

interface ParsedTemplate {
  readonly program: Program;
  /** Expressions whose value is printed. */
  readonly outputs: WeakSet<object>;
  /** Length of its source. */
  readonly length: number;
}

/** Renders the template with the variables. Throws what the template raises, and when it exceeds the step limit. */
export function runBounded(
  template: ParsedTemplate,
  variables: Readonly<Record<string, unknown>>,
): string {
  const environment = new Environment();
  for (const [name, value] of Object.entries({ ...GLOBALS, ...variables })) {
    environment.set(name, value);
  }
  return String(new BoundedInterpreter(environment, template).run(template.program).value);
}

const GLOBALS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  raise_exception: (message: unknown) => {
    throw new Error(String(message));
  },
  range: boundedRange,
  strftime_now: () => {
    throw new Error("the template prints today's date, so prompts would change from day to day");
  },
};

class BoundedInterpreter extends PythonInterpreter {
  readonly #sourceLength: number;
  #stepsLeft = MAX_STEPS;
  #depth = 0;
  readonly #sizes = new ValueSizes();
  /** The values that loops iterate over: each of their items costs one iteration, whatever the loop does with it. */
  readonly #iterables = new WeakSet<object>();
  /** Arguments that a filter repeats for every item or line. */
  readonly #repeated = new WeakSet<object>();

  constructor(environment: Environment, { outputs, length }: ParsedTemplate) {
    super(environment, outputs);
    this.#sourceLength = length;
  }

  protected override spend(items: number): void {
    this.#count(items, 1 / ITEMS_PER_STEP);
  }

  override evaluate(...[statement, environment]: Parameters<Evaluate>): ReturnType<Evaluate> {
    const given = givenValue(statement);
    if (given !== null) return given;
    const iterable = iterableOf(statement);
    if (iterable !== null) this.#iterables.add(iterable);
    for (const argument of repeatedIn(statement)) this.#repeated.add(argument);
    if (statement !== undefined && READ_EACH_TIME.has(statement.type)) {
      this.#count(this.#sourceLength, 1 / ITEMS_PER_STEP);
    }
    if (this.#depth > MAX_DEPTH) throw new Error("a macro in it calls itself without end");
    this.#depth += 1;
    try {
      const value = super.evaluate(statement, environment);
      const size = this.#sizes.of(value);
      if (statement === undefined) return value;
      this.#count(size, costOfItem(statement, Array.isArray(value.value), this.#iterables));
      if (this.#repeated.has(statement)) requireShort(value.value, this.#sizes.expanded(value));
      return value;
    } finally {
      this.#depth -= 1;
    }
  }

  #count(size: number, costOfItem: number): void {
    this.#stepsLeft -= 1 + size * costOfItem;
    if (this.#stepsLeft >= 0) return;
    throw new Error(
      `it takes more than ${MAX_STEPS / 1e6} million steps, as if a loop in it did not end`,
    );
  }
}

function costOfItem(
  statement: NonNullable<Statement>,
  isList: boolean,
  iterables: WeakSet<object>,
): number {
  if (iterables.has(statement)) return STEPS_OF_TURN;
  return isList && !REFERENCES.has(statement.type) ? 1 : 1 / ITEMS_PER_STEP;
}

/** The arguments of repeating filters such as `join(…)`. */
function repeatedIn(statement: Statement): readonly object[] {
  if (statement?.type !== "FilterExpression" && statement?.type !== "FilterStatement") return [];
  const { filter } = statement as unknown as { readonly filter: FilterNode }; // as the package's own types have it
  if (filter.callee === undefined || !REPEATING.has(String(filter.callee.value))) return [];
  return (filter.args ?? []).map((argument) =>
    argument.type === "KeywordArgumentExpression" ? (argument.value ?? argument) : argument,
  );
}

interface FilterNode {
  readonly callee?: { readonly value?: unknown };
  readonly args?: readonly { readonly type: string; readonly value?: object }[];
}

function requireShort(value: unknown, size: number): void {
  if (size <= MAX_REPEATED && !(typeof value === "number" && value > MAX_REPEATED)) return;
  throw new Error(`a filter in it repeats something longer than ${MAX_REPEATED} characters`);
}

function iterableOf(statement: Statement): object | null {
  if (statement?.type !== "For") return null;
  const { iterable } = { iterable: null, ...statement } as { readonly iterable: unknown };
  if (typeof iterable !== "object" || iterable === null) return null;
  // With a loop condition, only the expression before it is evaluated.
  const { lhs = iterable } = iterable as { readonly lhs?: object };
  return lhs;
}

function boundedRange(first: number, last?: number, step = 1): readonly number[] {
  const [start, stop] = last === undefined ? [0, first] : [first, last];
  if (step === 0) throw new Error("range() step must not be zero");
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (length > MAX_RANGE) throw new Error(`a range in it has more than 100,000 items (${length})`);
  return Array.from({ length }, (_, i) => start + i * step);
}
