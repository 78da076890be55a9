/** What a field's documentation says beside its value: in hovers and in lists of completions. */

import type { Change, Field } from "../../fields/field.ts";
import type { DefaultKind } from "../../fields/schema.ts";
import { typeText } from "../../rules/expectation.ts";
import { valueCode } from "../text/markdown.ts";

const CHANGES: Readonly<Record<Change, string>> = {
  tunable: "Can be changed during a run.",
  fixed: "Can be changed when a run is resumed.",
  identity: "Cannot be changed after a run starts.",
};

/** The default of a field for a kind of model, as a file would write it; null for a required field. */
function defaultText(field: Field, kind: DefaultKind): string | null {
  const value = kind === "local" ? (field.localDefault ?? field.default) : field.default;
  return value === undefined ? null : valueCode(value);
}

/** Documentation as Markdown: what it is, type and range, default, when it may change. */
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
