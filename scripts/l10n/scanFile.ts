/** Finds in a source file the messages that are translated, and texts for people that are not. */

import { parseSync } from "oxc-parser";

/** What is asked of a file beside its messages. */
export interface ScanOptions {
  /** It shows texts to people: none of them may do without a translation. */
  readonly hasTexts: boolean;
  /** It loads after the translations are known, so that it may translate while it loads. */
  readonly isLoadedLate: boolean;
}

export interface FileScan {
  readonly messages: readonly string[];
  /** Each begins with its line. */
  readonly faults: readonly string[];
}

/** A node of the syntax tree (ESTree, https://github.com/estree/estree). */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** Properties and attributes that people read, also when they hold one word. */
const SHOWN =
  /^(title|label|aria-label|alt|placeholder|description|tooltip|detail|prompt|placeHolder)$/;
/** Those that hold sentences for programs. */
const NOT_SHOWN = /^(class|style|icon|d|head|color|context|key|kind|choice)$/;
/** Calls with texts for errors and logs, which stay English, and for programs. */
const NOT_SHOWN_CALL =
  /(^|\.)(AppError|Error|fault|notFoundError|debug|info|warn|error|withFallback|querySelector\w*|matchMedia)$/;
/** Names, units, keys, settings, selectors and the program's own words. */
const NO_TEXTS: ReadonlySet<string> = new Set([
  ...["Tinker RL", "Tinker", "OpenReward", "{} min", "{} Esc", "export {}={}", "plain-text {}"],
  "hf upload USER/NAME {}",
  ...["learning_rate=5e-4 max_steps=20", "keep running", "stop and save", "not asked"],
  ...["strong", "quiet", "good", "warning", "bad", "accent", "control"],
  ...["quiet only-icon", "input, select, dialog", "this computer"],
]);
const CODE = /^ *\w+(\.\w+)*\(/;
/** Calls that show each of their texts, also when it is one word. */
const SHOWN_CALL = /^(heading|remark|labelled|styled|block)$/;
const WORD = /\p{L}{2,}/u;
/** Two words, or one beside a value. */
const SENTENCE =
  /\p{L}{2,}[^\p{L}]*\s\p{L}|\p{L}\s[^\p{L}]*\p{L}{2,}|\p{L}{3,}:? \{\}|\{\} \p{L}{3,}/u;
const TYPE_NODE = /^TS(?!As|Satisfies|NonNull)/;
const FUNCTION_NODE = /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const SKIPPED_NODE = /^(Import(?!Expression)|ExportAll)/;

/** `path` decides on the syntax. @throws Error when `text` cannot be parsed */
export function scanFile(path: string, text: string, options: ScanOptions): FileScan {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const scan = new Scan(text, options);
  scan.visit(program);
  return scan;
}

class Scan implements FileScan {
  readonly messages: string[] = [];
  readonly faults: string[] = [];
  readonly #text: string;
  readonly #options: ScanOptions;
  /** Functions around the node that is visited. */
  #depth = 0;
  /** The texts under way are for errors, logs or programs. */
  #isShown = true;

  constructor(text: string, options: ScanOptions) {
    this.#text = text;
    this.#options = options;
  }

  /** `name` is that of the property whose value `value` is. */
  visit(value: unknown, name = ""): void {
    if (Array.isArray(value)) for (const each of value) this.visit(each);
    if (!isNode(value) || SKIPPED_NODE.test(value.type) || TYPE_NODE.test(value.type)) return;
    if (isComparison(value)) return;
    if (value.type === "CallExpression" || value.type === "NewExpression") this.#visitCall(value);
    else if (value.type === "ThrowStatement") this.#visitWhile(false, [value["argument"]]);
    else if (value.type === "SwitchCase") this.visit(value["consequent"]);
    else if (value.type === "Property") this.visit(value["value"], nameOf(value["key"]));
    else if (value.type === "JSXAttribute") this.visit(value["value"], nameOf(value["name"]));
    else this.#visitOther(value, name);
  }

  #visitOther(node: Node, name: string): void {
    this.#checkText(node, name);
    const isFunction = FUNCTION_NODE.test(node.type);
    const passesName = isFunction || node.type === "ConditionalExpression";
    if (isFunction) this.#depth += 1;
    this.#visitWhile(isFunction || this.#isShown, Object.values(node), passesName ? name : "");
    if (isFunction) this.#depth -= 1;
  }

  #visitWhile(isShown: boolean, children: readonly unknown[], name = ""): void {
    const before = this.#isShown;
    this.#isShown = isShown;
    for (const child of children) this.visit(child, name);
    this.#isShown = before;
  }

  #visitCall(node: Node): void {
    const called = nameOf(node["callee"]);
    const args = nodesOf(node["arguments"]);
    const [first, one, other] = args;
    if (called === "l10n.t") this.#collect(node, [first]);
    else if (called === "plural") this.#collect(node, [one, other]);
    else {
      const isShown = this.#isShown && !NOT_SHOWN_CALL.test(called);
      const name = SHOWN_CALL.test(called) ? "label" : "";
      this.#visitWhile(isShown, [node["callee"], ...args], name);
    }
  }

  #collect(node: Node, messages: readonly (Node | undefined)[]): void {
    const { isLoadedLate } = this.#options;
    const isLate = isLoadedLate || this.#depth > 0 || this.#text.startsWith("vscode.", node.start);
    if (!isLate) this.#refuse(node, "a text is translated before the translations are known.");
    for (const message of messages) {
      const value = message === undefined ? null : literalOf(message);
      if (value === null) this.#refuse(node, "a message is not written as a literal.");
      else this.messages.push(value);
    }
    for (const arg of nodesOf(node["arguments"])) if (!messages.includes(arg)) this.visit(arg);
  }

  #checkText(node: Node, name: string): void {
    if (!this.#options.hasTexts || !this.#isShown || NOT_SHOWN.test(name)) return;
    const text = (node.type === "JSXText" ? String(node["value"]) : textOf(node))?.trim();
    if (text === undefined || NO_TEXTS.has(text) || CODE.test(text)) return;
    const isShown = node.type === "JSXText" || SHOWN.test(name) ? WORD : SENTENCE;
    if (isShown.test(text)) {
      this.#refuse(node, `${JSON.stringify(text)} is shown without a translation.`);
    }
  }

  #refuse(node: Node, what: string): void {
    this.faults.push(`${this.#text.slice(0, node.start).split("\n").length}: ${what}`);
  }
}

function isComparison(node: Node): boolean {
  return node.type === "BinaryExpression" && /^[=!]==?$/.test(String(node["operator"]));
}

/** `plural`, or of a longer name the last two parts: `l10n.t`. Empty for what has no name. */
function nameOf(value: unknown): string {
  if (!isNode(value)) return "";
  if (value.type !== "MemberExpression") return String(value["name"] ?? value["value"] ?? "");
  const object = nameOf(value["object"]).split(".").at(-1);
  return `${object}.${nameOf(value["property"])}`;
}

/** Null unless it is a string in one piece, or in pieces joined by `+`. */
function literalOf(node: Node): string | null {
  if (node.type !== "BinaryExpression") return node.type === "Literal" ? textOf(node) : null;
  const [left, right] = nodesOf([node["left"], node["right"]]).map(literalOf);
  return left == null || right == null ? null : left + right;
}

/** What a string or a template says, `{}` for its values; null for other nodes. */
function textOf(node: Node): string | null {
  if (node.type === "TemplateLiteral") {
    const pieces = nodesOf(node["quasis"]).map(({ value }) => value as { readonly raw: string }); // as ESTree has it
    return pieces.map(({ raw }) => raw).join("{}");
  }
  return node.type === "Literal" && typeof node["value"] === "string" ? node["value"] : null;
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isNode) : [];
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
