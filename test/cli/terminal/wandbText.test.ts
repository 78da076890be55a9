import { expect, it } from "vitest";
import { wandbText } from "../../../src/cli/terminal/wandbText.ts";

it.each([
  [{ rows: 2, isSummaryMissing: false }, "2 rows of metrics to send; resume the run to send them"],
  [{ rows: 1, isSummaryMissing: false }, "1 row of metrics to send; resume the run to send it"],
  [{ rows: 0, isSummaryMissing: true }, "the summary is not sent; resume the run to send it"],
  [{ rows: 0, isSummaryMissing: false }, null],
])("%j describes what is missing at Weights & Biases", (pending, text) => {
  expect(wandbText(pending)).toBe(text);
});
