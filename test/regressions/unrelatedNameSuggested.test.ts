import { expect, it } from "vitest";
import { nearestWords } from "../../src/core/util/editDistance.ts";

it("an environment of the same owner with another name is not suggested, however long the owner's name is", () => {
  const names = ["GeneralReasoning/xyz", "GeneralReasoning/abd"];
  expect(nearestWords("GeneralReasoning/abc", names)).toEqual(["GeneralReasoning/abd"]);
});
