/** A field's documentation for hovers and completion lists. */

import type { Change, Field } from "../../fields/field.ts";
import type { DefaultKind } from "../../fields/schema.ts";
import { typeText } from "../../rules/expectation.ts";
import { valueCode } from "../text/markdown.ts";

const CHANGES: Readonly<Record<Change, string>> = {
  tunable: "Can be changed during a run.",
  fixed: "Can be changed when a run is resumed.",
  identity: "Cannot be changed after a run starts.",
};

/** The field's default for a kind of model, formatted as in a file; null for a required field. */
function defaultText(field: Field, kind: DefaultKind): string | null {
  const value = kind === "local" ? (field.localDefault ?? field.default) : field.default;
  return value === undefined ? null : valueCode(value);
}

/** Documentation as Markdown: description, type and range, default, and when it may change. */
export function fieldMarkdown(field: Field, kind: DefaultKind): string {
  const usual = defaultText(field, kind);
  const local =
    field.localDefault === undefined || kind === "local"
      ? ""
      : `, ${valueCode(field.localDefault)} for \`local/\` models`;
  const facts = [
    `*${typeText(field)}*`,
    usual === null ? "**required**" : `default ${usual}${local}`,
  ].join(" · ");
  const older =
    field.replacedBy === undefined ? [] : [`**Older name:** use \`${field.replacedBy}\`.`];
  return [...older, field.doc, facts, CHANGES[field.change]].join("\n\n");
}
