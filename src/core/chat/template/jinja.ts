/** Compiles chat templates with the JavaScript Jinja engine, restoring the Python behavior that templates rely on. */

import { Template } from "@huggingface/jinja";
import { runBounded } from "./boundedInterpreter.ts";
import { isNode, type SyntaxNode } from "./pythonInterpreter.ts";

/** Renders with the given variables. Throws whatever the template raises. */
export type CompiledTemplate = (variables: Readonly<Record<string, unknown>>) => string;

/** Known models use a quarter of this or less; parsing time grows with the square of the length. */
const MAX_SOURCE = 64_000;

const NATIVE_METHODS = new Map([
  ["strip", "__strip"],
  ["lstrip", "__lstrip"],
  ["rstrip", "__rstrip"],
  ["replace", "__replace"],
]);

const NATIVE_FILTERS = new Map([
  ["trim", "__strip"],
  ["replace", "__replace"],
]);

/** Block contents other than expressions that are printed. */
const STATEMENTS: ReadonlySet<string> = new Set(
  "Set If For Macro CallStatement FilterStatement Break Continue Comment StringLiteral".split(" "),
);
const BLOCKS: ReadonlySet<string> = new Set(["body", "alternate", "defaultBlock"]);

/**
 * Compiles a template once. Line endings are normalized; everything else evaluates as in Python's Jinja2. Rendering fails for a
 * template that asks for today's date, because its prompts would change daily, and for one that exceeds the step limit.
 */
export function compileTemplate(source: string): CompiledTemplate {
  if (source.length > MAX_SOURCE) {
    throw new Error(`it is longer than ${MAX_SOURCE} characters, the limit for a chat template`);
  }
  const { parsed: program } = new Template(source.replace(/\r\n?/g, "\n"));
  const outputs = new WeakSet<object>();
  rewriteChildren(program, outputs);
  const template = { program, outputs, length: source.length };
  return (variables) =>
    runBounded(template, {
      ...variables,
      __strip: (text: unknown, chars: unknown) => stripEnd(stripStart(text, chars), chars),
      __lstrip: stripStart,
      __rstrip: stripEnd,
      __replace: replaceText,
    });
}

/** Rewrites nested nodes, and collects the expressions that are printed. */
function rewriteChildren(parent: object, outputs: WeakSet<object>): void {
  const rewrite = (item: unknown): unknown => (isNode(item) ? rewriteNode(item, outputs) : item);
  for (const [key, value] of Object.entries(parent)) {
    if (isNode(value)) Reflect.set(parent, key, rewrite(value));
    if (Array.isArray(value)) {
      const items = value.map(rewrite);
      Reflect.set(parent, key, items);
      if (BLOCKS.has(key)) for (const output of items.filter(isPrinted)) outputs.add(output);
    }
    if (value instanceof Map) {
      const entries = [...value].map(([name, item]) => [rewrite(name), rewrite(item)] as const);
      Reflect.set(parent, key, new Map(entries));
    }
  }
}

const isPrinted = (item: unknown): item is SyntaxNode => isNode(item) && !STATEMENTS.has(item.type);

function rewriteNode(node: SyntaxNode, outputs: WeakSet<object>): SyntaxNode {
  rewriteChildren(node, outputs);
  switch (node.type) {
    case "CallExpression":
      return rewriteCall(node);
    case "FilterExpression":
      return rewriteFilter(node);
    default:
      return node;
  }
}

/** Replaces `text.strip(chars)`, whose argument the engine ignores, and `replace`, whose result it does not limit, with our own. */
function rewriteCall(node: SyntaxNode): SyntaxNode {
  const { callee, args } = node;
  if (!isNode(callee) || callee.type !== "MemberExpression" || !Array.isArray(args)) return node;
  const { object, property } = callee;
  const native = isNode(property) ? NATIVE_METHODS.get(String(property["value"])) : undefined;
  if (native === undefined || callee["computed"] === true || args.length === 0) return node;
  return call(identifier(native), [object, ...args]);
}

/** Does the same for the filters called with arguments; filters convert any value to text. */
function rewriteFilter(node: SyntaxNode): SyntaxNode {
  const { operand, filter } = node;
  if (!isNode(filter) || !isNode(filter["callee"]) || !Array.isArray(filter["args"])) return node;
  const native = NATIVE_FILTERS.get(String(filter["callee"]["value"]));
  if (native === undefined || filter["args"].length === 0) return node;
  const asText = { type: "FilterExpression", operand, filter: identifier("string") };
  return call(identifier(native), [asText, ...filter["args"]]);
}

const identifier = (value: string): SyntaxNode => ({ type: "Identifier", value });
const call = (callee: SyntaxNode, args: readonly unknown[]): SyntaxNode => ({
  type: "CallExpression",
  callee,
  args,
});
function stripStart(value: unknown, chars: unknown): string {
  const source = requireText(value);
  if (typeof chars !== "string") return source.trimStart();
  let start = 0;
  while (start < source.length && chars.includes(source.charAt(start))) start += 1;
  return source.slice(start);
}

function stripEnd(value: unknown, chars: unknown): string {
  const source = requireText(value);
  if (typeof chars !== "string") return source.trimEnd();
  let end = source.length;
  while (end > 0 && chars.includes(source.charAt(end - 1))) end -= 1;
  return source.slice(0, end);
}

function requireText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Error("strip() is called on something other than text");
}

const MAX_CHARACTERS = 8_000_000;

/** `times` is a number, keyword arguments with `count`, or absent for all. Throws for non-text arguments and results that are too long. */
function replaceText(text: unknown, from: unknown, to: unknown, times?: unknown): string {
  if (typeof text !== "string" || typeof from !== "string" || typeof to !== "string") {
    throw new Error("replace() is called with something other than text");
  }
  const pieces = from === "" ? ["", ...text, ""] : text.split(from);
  const limit = limitOf(times);
  const count = Math.min(pieces.length - 1, limit);
  if (text.length + count * (to.length - from.length) > MAX_CHARACTERS) {
    throw new Error(
      `it makes a text or list longer than ${MAX_CHARACTERS / 1e6} million characters`,
    );
  }
  if (count === pieces.length - 1) return pieces.join(to);
  return count === 0
    ? text
    : [pieces.slice(0, count + 1).join(to), ...pieces.slice(count + 1)].join(from);
}

function limitOf(times: unknown): number {
  const given: unknown = times instanceof Map ? times.get("count")?.value : times;
  return typeof given === "number" && given >= 0 ? given : Number.POSITIVE_INFINITY;
}
