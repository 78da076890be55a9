import { expect, it } from "vitest";
import { movedTo } from "../../../webview-ui/runs/dragMove.ts";

it("moves the dragged item to another's position, in both directions", () => {
  const keys = ["a", "b", "c", "d"];
  expect(movedTo(keys, "c", "a")).toEqual(["c", "a", "b", "d"]);
  expect(movedTo(keys, "a", "c")).toEqual(["b", "c", "a", "d"]);
  expect(movedTo(keys, "a", "b")).toEqual(["b", "a", "c", "d"]);
  expect(movedTo(keys, "b", "b")).toEqual(keys);
  expect(movedTo(keys, "x", "b")).toEqual(keys);
});
