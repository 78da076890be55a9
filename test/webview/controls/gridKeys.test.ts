import { expect, test } from "vitest";
import { gridKey } from "../../../webview-ui/runs/runsGrid.tsx";

const NOT_HELD = { shiftKey: false, ctrlKey: false, metaKey: false };
const PLACE = { at: 3, count: 10, page: 5, hasSingleKeys: true };

test("j and k move through the runs table, and select with Shift", () => {
  expect(gridKey({ ...NOT_HELD, key: "j" }, PLACE)).toEqual({ kind: "move", to: 4 });
  expect(gridKey({ ...NOT_HELD, key: "k" }, PLACE)).toEqual({ kind: "move", to: 2 });
  expect(gridKey({ ...NOT_HELD, key: "PageDown" }, PLACE)).toEqual({ kind: "move", to: 8 });
  expect(gridKey({ ...NOT_HELD, shiftKey: true, key: "End" }, PLACE)).toEqual({
    kind: "extend",
    to: 9,
  });
});

test("letters have no effect if single-letter shortcuts are off", () => {
  const place = { ...PLACE, hasSingleKeys: false };
  for (const key of ["j", "k", "s"]) expect(gridKey({ ...NOT_HELD, key }, place)).toBeNull();
  expect(gridKey({ ...NOT_HELD, key: "ArrowDown" }, place)).toEqual({ kind: "move", to: 4 });
});
