import { expect, it } from "vitest";
import { keyVault } from "../../../src/local/environment/keyVault.ts";

it.each(["K1", "constructor"])("a key %j that no box contains opens none", async (key) => {
  const task = keyVault.start(keyVault.task("train", 0));
  expect(await keyVault.tools["lookup"]?.run(task, { key })).toEqual({ text: "no such key" });
});
