import { expect, test } from "vitest";
import { groupBy } from "../../../src/core/util/groupBy.ts";

test("groups keep the order of their first item, items their own", () => {
  expect([...groupBy(["pear", "fig", "plum", "kiwi"], (word) => word.length)]).toEqual([
    [4, ["pear", "plum", "kiwi"]],
    [3, ["fig"]],
  ]);
});
