import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fitForStorage, StoredLists } from "../../../src/server/catalogue/storedLists.ts";
import { filesOnDisk, folderOfEachTest } from "../../fakes/onDisk.ts";
import { aList, aModel, anEnvironment, CATALOGUE } from "./aList.ts";

const folder = folderOfEachTest();
const fileSystem = filesOnDisk();
const lists = (): StoredLists => new StoredLists(join(folder, "catalogue"), fileSystem);

/** Writes a file in the folder, as another program could. */
async function written(name: string, text: string): Promise<void> {
  await fileSystem.makeDirectory(join(folder, "catalogue"));
  writeFileSync(join(folder, "catalogue", name), text);
}

describe("lists on disk", () => {
  it("are restored as they were stored, with their time and server", async () => {
    const environments = aList([anEnvironment("Owner/Game", { tools: ["look"] })], {
      server: CATALOGUE,
      atMs: 12_345,
      isComplete: false,
    });
    await lists().write("environments", environments);
    expect(await lists().read("environments")).toEqual(environments);
    expect(readdirSync(join(folder, "catalogue"))).toEqual(["environments.json"]);
  });

  it("are absent before the first one", async () => {
    expect(await lists().read("models")).toBeNull();
  });

  it.each([
    ["half a file", '{"schemaVersion":1,"server":"x","atMs":1,"isComp'],
    ["another version", JSON.stringify({ ...aList([]), schemaVersion: 2 })],
    ["something else", "[]"],
  ])("are absent when the file is %s", async (_, text) => {
    await written("models.json", text);
    expect(await lists().read("models")).toBeNull();
  });

  it("are not read if they are larger than any of ours", async () => {
    const models = aList([aModel("a")]);
    await written("models.json", JSON.stringify({ schemaVersion: 1, ...models }).padEnd(5e6));
    expect(await lists().read("models")).toBeNull();
  });

  it("drop invalid entries", async () => {
    const items = [aModel("a"), { name: "" }, "text", { ...aModel("b"), contextTokens: -1 }];
    await written("models.json", JSON.stringify({ schemaVersion: 1, ...aList(items) }));
    expect((await lists().read("models"))?.items).toEqual([aModel("a")]);
  });
});

describe("a service's answer", () => {
  it("is truncated to the stored limit, and then counts as incomplete", () => {
    const long = anEnvironment("Owner/Game", { description: "x".repeat(1000) });
    const bad = anEnvironment("Owner/Other", { page: "javascript:alert(1)" });
    const kept = fitForStorage("environments", aList([long, bad]));
    expect(kept.items.map(({ name }) => name)).toEqual(["Owner/Game"]);
    expect(kept.items[0]?.description).toHaveLength(300);
    expect(kept.isComplete).toBe(false);
  });

  it("is limited to the maximum length of a list", () => {
    const items = Array.from({ length: 6000 }, (_, index) => aModel(`m${index}`));
    expect(fitForStorage("models", aList(items)).items).toHaveLength(5000);
  });
});
