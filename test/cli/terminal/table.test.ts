import fc from "fast-check";
import { expect, test } from "vitest";
import {
  clipMiddle,
  clipText,
  lineWidth,
  renderLine,
  textWidth,
  wrapText,
} from "../../../src/cli/terminal/line.ts";
import { tableLines } from "../../../src/cli/terminal/table.ts";

const columns = [
  { title: "step", align: "right" },
  { title: "task", align: "left", canShrink: true },
  { title: "stop", align: "left" },
] as const;

function plain(rows: readonly (readonly string[])[], width: number): readonly string[] {
  return tableLines(columns, rows, width).map((line) => renderLine(line, false));
}

test("cells are aligned under their titles", () => {
  expect(
    plain(
      [
        ["1", "train 3", "end"],
        ["12", "test 4", "end"],
      ],
      80,
    ),
  ).toEqual(["step  task     stop", "   1  train 3  end", "  12  test 4   end"]);
});

test("a table that is too wide truncates shrinkable cells in the middle", () => {
  const names = ["demo-sweep.seed_1", "demo-sweep.seed_2"];
  const rows = names.map((name) => ["1", name, "finished"]);
  expect(plain(rows, 30)).toEqual([
    "step  task            stop",
    "   1  demo-sw…seed_1  finished",
    "   1  demo-sw…seed_2  finished",
  ]);
});

test("a clipped text is never wider than requested", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, width) => {
      expect(textWidth(clipText(text, width))).toBeLessThanOrEqual(width);
      expect(textWidth(clipMiddle(text, width + 1))).toBeLessThanOrEqual(width + 1);
    }),
  );
});

test("wrapping keeps words whole, cuts longer ones, and keeps line feeds", () => {
  expect(wrapText("one two three\n\nabcdefghij", 8)).toEqual([
    "one two",
    "three",
    "",
    "abcdefgh",
    "ij",
  ]);
});

test("wrapping loses only the spaces at line breaks", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z ]*$/), fc.integer({ min: 1, max: 12 }), (text, width) => {
      const rows = wrapText(text, width);
      expect(rows.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      for (const row of rows) expect(lineWidth([row])).toBeLessThanOrEqual(width);
    }),
  );
});
