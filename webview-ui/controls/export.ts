/** Exports tables as CSV, JSON, and Markdown. */

export interface NumberTable {
  readonly heads: readonly string[];
  /** As long as `heads`; null for a gap. */
  readonly rows: readonly (readonly (number | null)[])[];
}

/** A table whose cells may be text. */
export interface CellTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (number | string | null)[])[];
}

/** RFC 4180 with line feeds; gaps are empty. Numbers keep full precision. */
export function toCsv({ heads, rows }: CellTable): string {
  const cell = (value: number | string | null): number | string =>
    typeof value === "string" ? csvCell(value) : (value ?? "");
  const lines = [heads.map(csvCell), ...rows.map((row) => row.map(cell))];
  return `${lines.map((cells) => cells.join(",")).join("\n")}\n`;
}

/** A list with one object per row. */
export function toJson({ heads, rows }: NumberTable): string {
  const objects = rows.map((row) =>
    Object.fromEntries(heads.map((head, column) => [head, row[column] ?? null])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

export function toMarkdown({ heads, rows }: NumberTable): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(heads.map((head) => head.replace(/\s+/g, " ").replaceAll("|", "\\|"))),
    line(heads.map(() => "---:")),
    ...rows.map((row) => line(row.map((value) => value ?? ""))),
    "",
  ].join("\n");
}

/**
 * A character that starts a formula in spreadsheets: at the start of the text, after blanks, or after a character that some programs split
 * cells or rows at. The lookbehind sits after the sign so that it does not run at every blank.
 */
const FORMULA = /[=+\-@＝＋－＠](?<=(?:^|[;\t\r\n])[\s\p{Cc}\p{Cf}]*.)/gu;

/** Quotes a cell, and keeps spreadsheets from running text as a formula. */
function csvCell(text: string): string {
  const safe = text.replace(FORMULA, "'$&");
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
