/** Findings about how a value is written: as text where a number is meant, equal to the default, or under a deprecated key. */

import { isMap, isScalar, isSeq, type Node } from "yaml";
import { booleanFrom, coerce, NUMBER_TEXT } from "./fields/coerce.ts";
import type { Field, Shape } from "./fields/field.ts";
import { childShape, configShape } from "./fields/fields.ts";
import { isSame } from "./fields/sameValue.ts";
import type { DefaultKind } from "./fields/schema.ts";
import { advice, type Finding, hint, note } from "./source/finding.ts";
import type { KeyPath } from "./source/keyPath.ts";
import { entryAt, isEmptyNode } from "./source/locate.ts";
import { type Remedy, removal, renamesOf } from "./source/remedy.ts";
import { type Entry, isMergeKey } from "./source/yamlNodes.ts";
import type { YamlSource } from "./source/yamlSource.ts";

/** Findings for a whole configuration; `kind` selects the defaults. */
export function notationFindings(source: YamlSource, kind: DefaultKind): readonly Finding[] {
  const found: Finding[] = [];
  visit({ source, kind, found }, source.root, configShape, []);
  return found;
}

/** Keys for which an explicit null means "no limit". */
const MEANT_WHEN_NULL: ReadonlySet<string> = new Set(["num_epochs", "max_steps"]);

interface Walk {
  readonly source: YamlSource;
  readonly kind: DefaultKind;
  readonly found: Finding[];
}

function visit(walk: Walk, node: Node | null, shape: Shape, path: KeyPath): void {
  const value = walk.source.resolve(node);
  if (isSeq<Node>(value) && shape.type === "list") {
    for (const [index, item] of value.items.entries()) {
      visit(walk, item, shape.of, [...path, String(index)]);
    }
    return;
  }
  const hint = isScalar(value) ? notationHint(value.value, shape, path) : null;
  if (hint !== null) walk.found.push(hint);
  // Merged keys are defined elsewhere in the text and checked there.
  const isMerged = isMap<Node | null>(value) && value.items.some(({ key }) => isMergeKey(key));
  for (const entry of walk.source.ownEntries(node === value ? node : null)) {
    const child = childShape(shape, entry.key);
    if (child === undefined) continue;
    const own = [...path, entry.key];
    if (shape.type === "object") visitField(walk, entry, child, own, isMerged);
    visit(walk, entry.value, child, own);
  }
}

/** `isMerged` = the mapping also takes keys from others, which its own entries may override. */
function visitField(
  walk: Walk,
  entry: Entry,
  child: Shape & Partial<Field>,
  path: KeyPath,
  isMerged: boolean,
): void {
  const { replacedBy } = child;
  // A run's own copy of its configuration lists every key, including those that are null.
  const isReplaced = replacedBy !== undefined && coerce(walk.source, entry.value, child) !== null;
  if (isReplaced) {
    walk.found.push(replaced(walk, path, replacedBy));
    return;
  }
  const isOfStage = path[0] === "stages" && entryAt(walk.source, path.slice(2)) !== null;
  const isMeant = MEANT_WHEN_NULL.has(path.join(".")) || isMerged || isOfStage;
  if (!isMeant && isDefault(walk, entry.value, child)) walk.found.push(unnecessary(path));
}

function isDefault(
  { source, kind }: Walk,
  node: Node | null,
  field: Partial<Field> & Shape,
): boolean {
  const value = kind === "local" ? (field.localDefault ?? field.default) : field.default;
  if (value === undefined || isEmptyNode(node)) return false;
  return isSame(coerce(source, node, field), value);
}

function unnecessary(path: KeyPath): Finding {
  const remedies = [{ ...removal(path), isSafe: true } as const];
  const message = "This is the default. You can remove this line.";
  return hint("TRL124", path, message, { part: "pair", tag: "unnecessary", remedies });
}

function replaced({ source }: Walk, path: KeyPath, to: string): Finding {
  const key = path.at(-1) ?? "";
  const message = `\`${key}\` is the older name of \`${to}\`. Use \`${to}\`.`;
  const has = (place: KeyPath, name: string): boolean => entryAt(source, [...place, name]) !== null;
  const stages = source.entries(entryAt(source, ["stages"])?.value ?? null);
  // If another part of the file has either name, a rename can change which of the two values counts there.
  const parts = [[], ...stages.map((stage) => ["stages", stage.key])];
  const isOnly = parts.filter((part) => has(part, key) || has(part, to)).length === 1;
  const above = path.slice(0, -1);
  const remedies: readonly Remedy[] = has(above, to)
    ? [{ kind: "move", path, to: [...above, to], title: `Set ${to} instead` }]
    : renamesOf(path, [to]).map((rename) => (isOnly ? { ...rename, isSafe: true } : rename));
  return advice("TRL125", path, message, { part: "key", tag: "deprecated", remedies });
}

function notationHint(written: unknown, shape: Shape, path: KeyPath): Finding | null {
  if (typeof written !== "string") return null;
  const value = normalized(written, shape);
  if (value === null) return null;
  const kind = NUMBER_TEXT.test(value) ? "number" : "boolean";
  const remedy: Remedy = {
    kind: "rewrite",
    path,
    text: value,
    title: `Write as ${value}`,
    isPreferred: true,
    isSafe: true,
  };
  const message = `This text is read as the ${kind} ${value}, but other programs may refuse it.`;
  return note("TRL123", path, message, { remedies: [remedy] });
}

function normalized(written: string, shape: Shape): string | null {
  const takesBoolean = shape.type === "boolean" || (shape.type === "object" && shape.shorthand);
  if (takesBoolean) {
    const value = booleanFrom(written, null);
    return value === null ? null : String(value);
  }
  if (shape.type !== "integer" && shape.type !== "number") return null;
  if (!NUMBER_TEXT.test(written)) return null;
  // JSON and YAML agree on numbers that start with a digit or a minus sign.
  return written
    .replaceAll("_", "")
    .replace(/^\+/, "")
    .replace(/^(-?)\./, "$10.")
    .replace(/\.(?=$|e)/i, "")
    .replace(/^(-?)0+(?=\d)/, "$1");
}
