import { expect, it } from "vitest";
import { packRows, unpackRows } from "../../src/shared/packedRows.ts";

interface Row {
  readonly name: string;
  readonly reward: number | null;
  readonly model?: string | undefined;
  readonly streams: readonly number[];
}

const rows = Array.from({ length: 8 }, (_, index): Row => {
  return {
    name: `group ${index % 2}`,
    reward: index === 3 ? null : index / 10,
    model: index === 5 ? "large" : undefined,
    streams: [0, index],
  };
});

it("rows survive a round trip through JSON", () => {
  const sent = JSON.stringify(packRows(rows));
  expect(unpackRows<Row>(JSON.parse(sent))).toEqual(JSON.parse(JSON.stringify(rows)));
});

it("a repeated value is sent once", () => {
  expect(JSON.stringify(packRows(rows)).split("group 1")).toHaveLength(2);
});

it("a value that every row has needs no list of positions", () => {
  expect(packRows(rows).columns.reward).toEqual({ each: rows.map(({ reward }) => reward) });
});

it("no rows have no columns", () => {
  expect(unpackRows(packRows<Row>([]))).toEqual([]);
});
