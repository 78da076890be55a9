import { expect, it } from "vitest";
import { depot } from "../../../src/local/environment/depot.ts";

it.each(["", "AB", "I"])("nothing is picked from shelf %j, which does not exist", async (shelf) => {
  const state = depot.start(depot.task("train", 0));
  expect(await depot.tools["pick"]?.run(state, { shelf })).toEqual({ text: "no such shelf" });
});
