/** Renders the field table as Markdown for `docs/configuration.md`. */

import type { Json } from "../json.ts";
import type { Change, Field } from "./fields/field.ts";
import { type FieldSection, fieldSections } from "./fields/fields.ts";
import { typeText } from "./rules/expectation.ts";

const CHANGES: Readonly<Record<Change, string>> = {
  tunable: "any step",
  fixed: "at resume",
  identity: "never",
};

const INTRODUCTION =
  "*Changes* says when a value can change: between any two steps, when the run is resumed, or never, because that " +
  "would be a different run.";

/** One Markdown table per section of the configuration, in reading order. */
export function configReference(): string {
  return [INTRODUCTION, ...fieldSections.map(section)].join("\n\n");
}

function section({ title, place, fields }: FieldSection): string {
  const heading = place === "" ? `### ${title}` : `### ${title} (\`${place}\`)`;
  const rows = Object.entries(fields).map(([key, field]) => row(key, field));
  return [
    heading,
    "",
    "| Key | Value | Default | Changes | Meaning |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function row(key: string, field: Field): string {
  const cells = [
    `\`${key}\``,
    typeText(field, (value) => `\`${value}\``),
    defaultText(field),
    CHANGES[field.change],
    field.doc,
  ];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

function defaultText(field: Field): string {
  if (field.default === undefined) {
    return field.optionalFor === undefined
      ? "**required**"
      : `**required**, except with \`method: ${field.optionalFor}\``;
  }
  const text = codeText(field.default);
  return field.localDefault === undefined
    ? text
    : `${text}; ${codeText(field.localDefault)} for \`local/\` models`;
}

function codeText(value: Json): string {
  const isSmall = typeof value === "number" && value !== 0 && Math.abs(value) < 1e-2;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return `\`${isSmall ? value.toExponential() : text}\``;
}
