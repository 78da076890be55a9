import { expect, it } from "vitest";
import { checkPlanted } from "../checkPlanted.ts";
import { sum } from "../plantedDefects.ts";

it("latencies include failed calls", async () => {
  const environment = sum({
    answer: () => {
      throw new Error("boom");
    },
  });
  const { checks } = await checkPlanted({ environment }, ["speed"]);
  expect(checks[0]?.measured).not.toContain("calls: none");
});
