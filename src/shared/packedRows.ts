/** Packs rows of the same shape as columns: a message with many rows shrinks to a quarter. */

/** One column: the value of each row in `each`; or, if values repeat, the distinct values and each row's index into them. */
export type PackedColumn =
  | { readonly each: readonly unknown[] }
  /** −1 where the row lacks the property. */
  | { readonly values: readonly unknown[]; readonly at: readonly number[] };

export interface PackedRows<Row extends object> {
  readonly length: number;
  readonly columns: { readonly [Key in keyof Row]?: PackedColumn };
}

export function packRows<Row extends object>(rows: readonly Row[]): PackedRows<Row> {
  const names = new Set(rows.flatMap((row) => Object.keys(row) as (keyof Row)[]));
  const columns: { [Key in keyof Row]?: PackedColumn } = {};
  for (const name of names) columns[name] = packColumn(rows.map((row) => row[name]));
  return { length: rows.length, columns };
}

/** Restores the rows; a property that a row did not have becomes undefined. */
export function unpackRows<Row extends object>({ length, columns }: PackedRows<Row>): Row[] {
  const names = Object.keys(columns) as (keyof Row)[];
  // Engines store an object that gains many properties one by one as a slow dictionary; copies of a complete object stay fast.
  const blank = Object.fromEntries(names.map((name) => [name, undefined])) as Row; // filled below
  const rows = Array.from({ length }, () => ({ ...blank }));
  for (const name of names) {
    const column = columns[name];
    if (column === undefined) continue;
    rows.forEach((row, index) => {
      row[name] = valueAt(column, index) as Row[typeof name]; // it was packed from one
    });
  }
  return rows;
}

function packColumn(each: readonly unknown[]): PackedColumn {
  const places = new Map<unknown, number>();
  const at = each.map((value) => {
    if (value === undefined) return -1;
    const place = places.get(value) ?? places.size;
    places.set(value, place);
    return place;
  });
  const isRepeated = places.size <= each.length / 2;
  if (!isRepeated && !at.includes(-1)) return { each };
  return { values: [...places.keys()], at };
}

function valueAt(column: PackedColumn, index: number): unknown {
  if ("each" in column) return column.each[index];
  return column.values[column.at[index] ?? -1];
}
