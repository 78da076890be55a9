import { expect, it } from "vitest";
import { checkPlanted } from "../checkPlanted.ts";
import { sum } from "../plantedDefects.ts";

it("a tool that fails on plain arguments is not blamed for its handling of odd ones", async () => {
  const environment = sum({
    answer: () => {
      throw new Error("KeyError: 'x'");
    },
  });
  const { checks } = await checkPlanted({ environment }, ["malformed-calls"]);
  expect(checks[0]?.findings).toEqual([]);
  expect(checks[0]).toMatchObject({
    measured: "0 odd calls, none of answer, where plain arguments fail, too",
  });
});
