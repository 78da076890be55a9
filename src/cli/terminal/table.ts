/** Lays out rows as aligned columns that fit the terminal's width. */

import { clipMiddle, type Line, type LinePiece, shownText, styled, textWidth } from "./line.ts";

export interface Column {
  readonly title: string;
  readonly align: "left" | "right";
  /** True if its cells may be truncated when the table is too wide. */
  readonly canShrink?: boolean;
}

const GAP = "  ";
/** Minimum width at which cells stay recognizable. */
const LEAST_WIDTH = 4;

/** A title line and one line per row. Shrinkable columns shrink, widest first, until everything fits in `width`. */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly LinePiece[])[],
  width: number,
): readonly Line[] {
  const titles = columns.map(({ title }) => styled("quiet", title));
  const widths = fitWidths(columns, naturalWidths(columns, rows), width);
  return [titles, ...rows].map((row) => alignRow(columns, widths, row));
}

function naturalWidths(
  columns: readonly Column[],
  rows: readonly (readonly LinePiece[])[],
): readonly number[] {
  return columns.map(({ title }, index) =>
    rows.reduce(
      (widest, row) => Math.max(widest, textWidth(shownText(row[index] ?? ""))),
      textWidth(title),
    ),
  );
}

function fitWidths(
  columns: readonly Column[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const widths = [...natural];
  const gaps = GAP.length * (columns.length - 1);
  let excess = widths.reduce((sum, each) => sum + each, gaps) - width;
  while (excess > 0) {
    const widest = widestShrinkable(columns, widths);
    if (widest === null) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

function widestShrinkable(columns: readonly Column[], widths: readonly number[]): number | null {
  let widest: number | null = null;
  for (const [index, column] of columns.entries()) {
    const own = widths[index] ?? 0;
    if (column.canShrink !== true || own <= LEAST_WIDTH) continue;
    if (widest === null || own > (widths[widest] ?? 0)) widest = index;
  }
  return widest;
}

function alignRow(
  columns: readonly Column[],
  widths: readonly number[],
  row: readonly LinePiece[],
): Line {
  const line: LinePiece[] = [];
  for (const [index, { align }] of columns.entries()) {
    const piece = row[index] ?? "";
    const width = widths[index] ?? 0;
    const text = clipMiddle(shownText(piece), width);
    const space = " ".repeat(width - textWidth(text));
    const isLast = index === columns.length - 1;
    if (index > 0) line.push(GAP);
    if (align === "right") line.push(space);
    line.push(typeof piece === "string" ? text : styled(piece.style, text));
    if (align === "left" && !isLast) line.push(space);
  }
  return line;
}
