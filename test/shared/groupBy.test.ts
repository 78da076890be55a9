import { expect, test } from "vitest";
import { groupBy } from "../../src/shared/groupBy.ts";

test("groups are in the order of their first items, and items keep their order", () => {
  expect([...groupBy(["pear", "fig", "plum", "kiwi"], (word) => word.length)]).toEqual([
    [4, ["pear", "plum", "kiwi"]],
    [3, ["fig"]],
  ]);
});
