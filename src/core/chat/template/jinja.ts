/** Compiles chat templates: the JavaScript Jinja engine, with the Python behaviours that templates rely on put back. */

import { Template } from "@huggingface/jinja";
import { runBounded } from "./boundedInterpreter.ts";
import { pythonText } from "./pythonText.ts";
import { replaceText } from "./replaceText.ts";

/** Renders with the given variables. Throws whatever the template raises. */
export type CompiledTemplate = (variables: Readonly<Record<string, unknown>>) => string;

/** Those of known models have a quarter of it or less; the time for reading one grows with the square of its length. */
const MAX_SOURCE = 64_000;

type SyntaxNode = Record<string, unknown> & { readonly type: string };

const NATIVE_METHODS = new Map([
  ["strip", "__strip"],
  ["lstrip", "__lstrip"],
  ["rstrip", "__rstrip"],
  ["replace", "__replace"],
]);

/**
 * Compiles a template once. Line ends are normalised; `strip` and `trim` honour their argument, `string` prints
 * Python's notation, `trim` takes a missing value as empty text and `join` takes the keys of a mapping, as in Python's Jinja2. A template that asks for today's date
 * fails when it renders, because its prompts would differ from day to day, and so does one that takes ages.
 */
export function compileTemplate(source: string): CompiledTemplate {
  if (source.length > MAX_SOURCE) {
    throw new Error(`it is longer than ${MAX_SOURCE} characters, which no chat template is`);
  }
  const template = new Template(source.replace(/\r\n?/g, "\n"));
  rewriteChildren(template.parsed);
  return (variables) =>
    runBounded(template.parsed, source.length, {
      ...variables,
      __strip: (text: unknown, chars: unknown) => stripEnd(stripStart(text, chars), chars),
      __lstrip: stripStart,
      __string: pythonText,
      __rstrip: stripEnd,
      __replace: replaceText,
    });
}

function rewriteChildren(parent: object): void {
  for (const [key, value] of Object.entries(parent)) {
    if (isSyntaxNode(value)) {
      Reflect.set(parent, key, rewriteNode(value));
    } else if (Array.isArray(value)) {
      Reflect.set(parent, key, value.map(rewriteItem));
    } else if (value instanceof Map) {
      const entries = [...value].map(
        ([name, item]) => [rewriteItem(name), rewriteItem(item)] as const,
      );
      Reflect.set(parent, key, new Map(entries));
    }
  }
}

function rewriteItem(item: unknown): unknown {
  return isSyntaxNode(item) ? rewriteNode(item) : item;
}

function rewriteNode(node: SyntaxNode): SyntaxNode {
  rewriteChildren(node);
  switch (node.type) {
    case "CallExpression":
      return rewriteCall(node);
    case "FilterExpression":
      return rewriteFilter(node);
    default:
      return node;
  }
}

/** `text.strip(chars)` becomes a call of ours, as the engine ignores the argument, and `replace`, whose result it does not bound. */
function rewriteCall(node: SyntaxNode): SyntaxNode {
  const { callee, args } = node;
  if (!isSyntaxNode(callee) || callee.type !== "MemberExpression" || !Array.isArray(args))
    return node;
  const { object, property } = callee;
  const native = isSyntaxNode(property) ? NATIVE_METHODS.get(String(property["value"])) : undefined;
  if (native === undefined || callee["computed"] === true || args.length === 0) return node;
  return call(identifier(native), [object, ...args]);
}

function rewriteFilter(node: SyntaxNode): SyntaxNode {
  const { operand, filter } = node;
  if (!isSyntaxNode(operand) || !isSyntaxNode(filter)) return node;
  const { callee, args } = filter;
  const isCall = isSyntaxNode(callee) && Array.isArray(args) && args.length > 0;
  switch (isCall ? `${callee["value"]}()` : filter["value"]) {
    case "string":
      return choose(test(operand, "none"), text("None"), call(identifier("__string"), [operand]));
    case "trim": {
      const isNone = test(operand, "none");
      return choose(choose(isNone, isNone, test(operand, "undefined")), text(""), node);
    }
    case "trim()":
      return call(identifier("__strip"), [operand, ...(Array.isArray(args) ? args : [])]);
    case "replace()":
      return call(identifier("__replace"), [operand, ...(Array.isArray(args) ? args : [])]);
    case "join":
    case "join()":
      return choose(test(operand, "mapping"), { ...node, operand: keysOf(operand) }, node);
    default:
      return node;
  }
}

function isSyntaxNode(value: unknown): value is SyntaxNode {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"
  );
}

const identifier = (value: string): SyntaxNode => ({ type: "Identifier", value });
const text = (value: string): SyntaxNode => ({ type: "StringLiteral", value });
const call = (callee: SyntaxNode, args: readonly unknown[]): SyntaxNode => ({
  type: "CallExpression",
  callee,
  args,
});
const keysOf = (object: SyntaxNode): SyntaxNode =>
  call({ type: "MemberExpression", object, property: identifier("keys"), computed: false }, []);
const test = (operand: SyntaxNode, name: string): SyntaxNode => ({
  type: "TestExpression",
  operand,
  negate: false,
  test: identifier(name),
});
const choose = (
  condition: SyntaxNode,
  trueExpr: SyntaxNode,
  falseExpr: SyntaxNode,
): SyntaxNode => ({
  type: "Ternary",
  condition,
  trueExpr,
  falseExpr,
});

function stripStart(value: unknown, chars: unknown): string {
  const source = String(value);
  if (typeof chars !== "string") return source.trimStart();
  let start = 0;
  while (start < source.length && chars.includes(source.charAt(start))) start += 1;
  return source.slice(start);
}

function stripEnd(value: unknown, chars: unknown): string {
  const source = String(value);
  if (typeof chars !== "string") return source.trimEnd();
  let end = source.length;
  while (end > 0 && chars.includes(source.charAt(end - 1))) end -= 1;
  return source.slice(0, end);
}
