import { describe, expect, it } from "vitest";
import { toCsv } from "../../../webview-ui/controls/export.ts";

/** The cell as written to the file. */
function cell(text: string): string {
  return toCsv({ heads: ["a"], rows: [[text]] }).slice("a\n".length, -1);
}

describe("a text in a CSV file", () => {
  it.each(["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "＋1", "－1", "＠A1"])(
    "is not a formula: %s",
    (formula) => {
      expect(cell(formula)).toBe(`'${formula}`);
    },
  );

  it.each([
    "\r",
    "\n",
    "\t",
    ";",
    " ",
    "\u00a0",
    "\ufeff",
    "\0",
    "a;",
    "a\t",
    "a\n",
    "a;  ",
    "a\r\t",
  ])("is not a formula after %j, which separates cells in some spreadsheets", (before) => {
    expect(cell(`${before}=1`).replaceAll('"', "")).toBe(`${before}'=1`);
  });

  it.each([";", "\t", "\r", "\n", ","])("is quoted when it contains %j", (separator) => {
    expect(cell(`a${separator}b`)).toBe(`"a${separator}b"`);
  });

  it.each(["a", "a-b", "1e-5", "a = b", "lr 1e-2 · seed 1", "2026-01-02"])(
    "is unchanged: %s",
    (text) => {
      expect(cell(text)).toBe(text);
    },
  );

  it("keeps quotes and spaces at both ends", () => {
    expect(cell(' say "a" ')).toBe('" say ""a"" "');
  });
});
