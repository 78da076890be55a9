/** Numbers as CSV, JSON and Markdown. */

export interface NumberTable {
  readonly heads: readonly string[];
  /** As long as `heads`; null for a gap. */
  readonly rows: readonly (readonly (number | null)[])[];
}

/** A table that holds texts, too. */
export interface CellTable {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly (number | string | null)[])[];
}

/** RFC 4180 with line feeds; gaps are empty. Numbers keep all their digits. */
export function toCsv({ heads, rows }: CellTable): string {
  const cell = (value: number | string | null): number | string =>
    typeof value === "string" ? csvCell(value) : (value ?? "");
  const lines = [heads.map(csvCell), ...rows.map((row) => row.map(cell))];
  return `${lines.map((cells) => cells.join(",")).join("\n")}\n`;
}

/** A list with an object a row. */
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
 * What a spreadsheet takes for a formula: at the start, behind blanks, or behind what some separate cells and rows by. Only from its sign
 * on it looks back, not from each blank.
 */
const FORMULA = /[=+\-@＝＋－＠](?<=(?:^|[;\t\r\n])[\s\p{Cc}\p{Cf}]*.)/gu;

/** A text that a spreadsheet would take for a formula stays a text. */
function csvCell(text: string): string {
  const safe = text.replace(FORMULA, "'$&");
  return /[",;\t\r\n]|^\s|\s$/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
