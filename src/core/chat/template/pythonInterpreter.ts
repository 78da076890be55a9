/**
 * Evaluates parsed templates like Python's Jinja2 where the JavaScript engine differs: undefined values, None, equality, method
 * names, loop scope, and printing. Any template that the engine accepts must produce Python's text.
 */

import { Environment, Interpreter } from "@huggingface/jinja";
import { boxedText } from "./pythonText.ts";

type Evaluate = Interpreter["evaluate"];
type Statement = NonNullable<Parameters<Evaluate>[0]>;
type Value = ReturnType<Evaluate>;

/** A node of the engine's syntax tree; its fields depend on its type. */
export type SyntaxNode = Record<string, unknown> & { readonly type: string };

/** The dict methods that the engine supports; `mapping.items` is the method even if the mapping has such a key. */
const DICT_METHODS: ReadonlySet<string> = new Set(["items", "keys", "values", "get"]);
/** Filters that convert any value to text, and below, filters that iterate over a value's items. */
const TEXT_FILTERS: ReadonlySet<string> = new Set(
  "trim upper lower title capitalize replace string".split(" "),
);
const ITEM_FILTERS: ReadonlySet<string> = new Set(
  "list first last join sort unique map selectattr rejectattr".split(" "),
);
const LISTS: ReadonlySet<string> = new Set(["ArrayValue", "TupleValue"]);
const MAPPINGS: ReadonlySet<string> = new Set(["ObjectValue", "KeywordArgumentsValue"]);
const NUMBERS: ReadonlySet<string> = new Set(["IntegerValue", "FloatValue", "BooleanValue"]);
const UNDEFINED = new Environment().lookupVariable("undefined");

export class PythonInterpreter extends Interpreter {
  readonly #outputs: WeakSet<object>;

  /** `outputs` are the expressions whose value is printed. */
  constructor(environment: Environment, outputs: WeakSet<object>) {
    super(environment);
    this.#outputs = outputs;
  }

  /** Called with the number of characters or items processed outside of evaluation steps. */
  protected spend(_items: number): void {}

  override evaluate(...[statement, environment]: Parameters<Evaluate>): Value {
    const value = this.#evaluate(statement, environment);
    const isOutput = statement !== undefined && this.#outputs.has(statement);
    return isOutput && value.type !== "StringValue" ? boxed(boxedText(value)) : value;
  }

  #evaluate(...[statement, environment]: Parameters<Evaluate>): Value {
    if (statement === undefined) return super.evaluate(statement, environment);
    const node = statement as unknown as SyntaxNode; // every statement of the engine has a type and fields
    switch (node.type) {
      case "MemberExpression":
        return this.#member(node, environment);
      case "BinaryExpression":
        return this.#binary(node, environment);
      case "TestExpression":
        return this.#test(node, environment);
      case "FilterExpression":
        return this.#filter(node, environment);
      case "For":
        return this.#loop(node, environment);
      case "Turn":
        return this.#engine({ ...node, type: "Program" }, new Environment(environment));
      default:
        return super.evaluate(statement, environment);
    }
  }

  /** Lets the engine evaluate a node whose parts have been evaluated or replaced. */
  #engine(node: object, environment: Environment): Value {
    return super.evaluate(node as Statement, environment);
  }

  #valueOf(node: unknown, environment: Environment): Value {
    return this.evaluate(node as Statement, environment);
  }

  /** Throws for a member of an undefined value; a key that the value cannot have yields undefined. */
  #member(node: SyntaxNode, environment: Environment): Value {
    const object = this.#valueOf(node["object"], environment);
    if (object.type === "UndefinedValue") throw new Error(`${nameOf(node["object"])} is undefined`);
    const isComputed = node["computed"] === true;
    const isSlice = isNode(node["property"]) && node["property"].type === "SliceExpression";
    const given = { ...node, object: givenNode(object) };
    if (isComputed && isSlice) return this.#engine(given, environment);
    const key = isComputed ? this.#valueOf(node["property"], environment) : null;
    if (key === null) {
      const name = String(fieldOf(node["property"], "value"));
      return this.#attribute(object, name) ?? this.#engine(given, environment);
    }
    if (key.type !== "StringValue" && !this.#hasItem(object, key)) return UNDEFINED;
    if (isText(object) && typeof key.value === "number") {
      return boxedOrUndefined(this.#characters(object.value).at(key.value));
    }
    return this.#engine({ ...given, property: givenNode(key) }, environment);
  }

  /** Null if the engine finds what Python finds. */
  #attribute(object: Value, name: string): Value | null {
    if (isMapping(object) && DICT_METHODS.has(name)) return object.builtins.get(name) ?? null;
    return name === "length" && (isText(object) || isList(object)) ? UNDEFINED : null;
  }

  #hasItem(object: Value, key: Value): boolean {
    return key.type === "IntegerValue" && (isText(object) || isList(object));
  }

  #binary(node: SyntaxNode, environment: Environment): Value {
    const operator = String(fieldOf(node["operator"], "value"));
    if (operator === "and" || operator === "or") return this.#engine(node, environment);
    const left = this.#valueOf(node["left"], environment);
    const right = this.#valueOf(node["right"], environment);
    switch (operator) {
      case "==":
        return boxed(this.#isEqual(left, right));
      case "!=":
        return boxed(!this.#isEqual(left, right));
      case "in":
        return boxed(this.#contains(right, left));
      case "not in":
        return boxed(!this.#contains(right, left));
      case "~":
        return boxed(boxedText(left) + boxedText(right));
      default:
        if (isText(left) && isText(right) && /^[<>]=?$/.test(operator)) {
          const isEqual = left.value === right.value;
          const isBefore = left.value < right.value;
          if (isEqual) return boxed(operator.endsWith("="));
          return boxed(isBefore === operator.startsWith("<"));
        }
        if (operator === "+" && isText(left) !== isText(right)) {
          throw new Error(
            `a text and ${(isText(left) ? right : left).type} cannot be joined with +`,
          );
        }
        return this.#engine(
          { ...node, left: givenNode(left), right: givenNode(right) },
          environment,
        );
    }
  }

  #contains(container: Value, item: Value): boolean {
    if (container.type === "UndefinedValue") return false;
    if (isList(container)) return container.value.some((other) => this.#isEqual(other, item));
    if (isMapping(container)) return isText(item) && container.value.has(item.value);
    if (isText(container) && isText(item)) return container.value.includes(item.value);
    throw new Error(`${container.type} cannot be searched for ${item.type}`);
  }

  #isEqual(a: Value, b: Value): boolean {
    if (a === b) return true;
    if (NUMBERS.has(a.type) && NUMBERS.has(b.type)) return Number(a.value) === Number(b.value);
    if (isText(a) && isText(b)) {
      if (a.value.length === b.value.length) this.spend(a.value.length);
      return a.value === b.value;
    }
    if (isList(a) && isList(b)) return this.#haveEqualItems(a.value, b.value);
    if (isMapping(a) && isMapping(b)) {
      const keys = [...a.value.keys()];
      const others = keys.map((key) => b.value.get(key));
      return a.value.size === b.value.size && this.#haveEqualItems([...a.value.values()], others);
    }
    return a.type === b.type && (a.type === "NullValue" || a.type === "UndefinedValue");
  }

  #haveEqualItems(a: readonly Value[], b: readonly (Value | undefined)[]): boolean {
    if (a.length !== b.length) return false;
    this.spend(a.length);
    return a.every((item, i) => {
      const other = b[i];
      return other !== undefined && this.#isEqual(item, other);
    });
  }

  #test(node: SyntaxNode, environment: Environment): Value {
    const operand = this.#valueOf(node["operand"], environment);
    const isNegated = node["negate"] === true;
    const isUndefined = operand.type === "UndefinedValue";
    switch (fieldOf(node["test"], "value")) {
      case "iterable":
        return boxed(
          isNegated !== (isUndefined || isText(operand) || isList(operand) || isMapping(operand)),
        );
      case "sequence":
        if (isUndefined) return boxed(!isNegated);
        break;
      case "number":
        return boxed(isNegated !== NUMBERS.has(operand.type));
      case "float":
        return boxed(isNegated !== (operand.type === "FloatValue"));
    }
    return this.#engine({ ...node, operand: givenNode(operand) }, environment);
  }

  #filter(node: SyntaxNode, environment: Environment): Value {
    const operand = this.#valueOf(node["operand"], environment);
    const { filter } = node;
    const isCall = isNode(filter) && filter.type === "CallExpression";
    const name = String(fieldOf(isCall ? filter["callee"] : filter, "value"));
    const adapted = this.#operandFor(name, operand);
    if (name === "string") return adapted;
    if (name === "length" && isText(adapted)) return boxed(this.#characters(adapted.value).length);
    if (name === "capitalize" && isText(adapted)) {
      const [first = "", ...rest] = adapted.value;
      return boxed(first.toUpperCase() + rest.join("").toLowerCase());
    }
    if ((name === "first" || name === "last") && isList(adapted) && adapted.value.length === 0) {
      return UNDEFINED;
    }
    return this.#engine({ ...node, operand: givenNode(adapted) }, environment);
  }

  /** Converts a value that the engine's filter would reject or read differently from Python. */
  #operandFor(name: string, operand: Value): Value {
    if (TEXT_FILTERS.has(name)) return isText(operand) ? operand : boxed(boxedText(operand));
    if (name === "tojson") requireNoUndefined(operand);
    if (ITEM_FILTERS.has(name)) {
      const items = this.#iterated(operand);
      return name === "join" && isList(items) ? boxed(items.value.map(boxedText)) : items;
    }
    if (operand.type === "UndefinedValue") {
      if (name === "items" || name === "dictsort") return boxed({});
      if (name === "length" || name === "count") return boxed([]);
    }
    return operand;
  }

  /** Names set in one loop iteration do not carry over to the next. */
  #loop(node: SyntaxNode, environment: Environment): Value {
    const { iterable } = node;
    const select = isNode(iterable) && iterable.type === "SelectExpression" ? iterable : null;
    const source = select === null ? iterable : select["lhs"];
    const items = givenNode(this.#iterated(this.#valueOf(source, environment)));
    const turn = { type: "Turn", body: node["body"] };
    return this.#engine(
      { ...node, iterable: select === null ? items : { ...select, lhs: items }, body: [turn] },
      environment,
    );
  }

  /** The items of a text or mapping as a list; an empty list for an undefined value. */
  #iterated(value: Value): Value {
    if (value.type === "UndefinedValue") return boxed([]);
    if (isText(value)) return boxed(this.#characters(value.value));
    return isMapping(value) ? boxed([...value.value.keys()]) : value;
  }

  #characters(text: string): readonly string[] {
    this.spend(text.length);
    return [...text];
  }
}

/** The value of a node that wraps a known value, null for all other nodes. */
export function givenValue(node: object | undefined): Value | null {
  return node instanceof GivenNode ? node.value : null;
}

class GivenNode {
  readonly type = "Given";
  readonly value: Value;
  constructor(value: Value) {
    this.value = value;
  }
}

const givenNode = (value: Value): GivenNode => new GivenNode(value);

/** Wraps a plain value in the engine's type. */
function boxed(value: unknown): Value {
  return new Environment().set("value", value);
}

function boxedOrUndefined(value: unknown): Value {
  return value === undefined ? UNDEFINED : boxed(value);
}

function requireNoUndefined(value: Value): void {
  if (value.type === "UndefinedValue")
    throw new Error("an undefined value cannot be written as JSON");
  const items = isList(value) ? value.value : isMapping(value) ? value.value.values() : [];
  for (const item of items) requireNoUndefined(item);
}

type TextValue = Extract<Value, { readonly value: string }>;
type ListValue = Extract<Value, { readonly value: Value[] }>;
type MappingValue = Extract<Value, { readonly value: Map<string, Value> }>;

const isText = (value: Value): value is TextValue => value.type === "StringValue";
const isList = (value: Value): value is ListValue => LISTS.has(value.type);
const isMapping = (value: Value): value is MappingValue => MAPPINGS.has(value.type);

export function isNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}

function fieldOf(node: unknown, field: string): unknown {
  return isNode(node) ? node[field] : undefined;
}

function nameOf(node: unknown): string {
  const name = fieldOf(node, "value") ?? fieldOf(fieldOf(node, "property"), "value");
  return typeof name === "string" ? name : "a value";
}
