/** The images of a rollout in the built page: loaded only from the run folder. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readImage } from "../../src/core/images/imageFile.ts";
import { storeImages } from "../../src/core/runFolder/rollouts/imageFiles.ts";
import { sha256 } from "../../src/node/hash.ts";
import { drawnPng } from "../core/images/someImages.ts";
import { aRecord, aRecordedResult, aRecordedTurn } from "../core/runFolder/builders.ts";
import { writeHardRun } from "../server/dashboard/writtenRun.ts";
import { pagesOfEachTest } from "./pagesOfEachTest.ts";

const { parent, fileSystem, open, storeIn } = pagesOfEachTest();

/** The first rollout of the last step has two images, the second one damaged. */
async function writeRun(): Promise<string> {
  const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  const pictures = [drawnPng(224, 150), drawnPng(96, 96)].map((bytes) => {
    return { file: readImage(bytes.toString("base64")), tokens: 70 };
  });
  const images = await storeImages(pictures, {
    fileSystem: fileSystem.within(folder),
    folder,
    sha256,
  });
  await writeFile(join(folder, "images", images[1]?.file ?? ""), "something else");
  const results = [aRecordedResult({ text: "Looked: [image 2] [image 9]" })];
  const record = aRecord({
    step,
    group: 0,
    rollout: 0,
    images,
    promptText: "What color is the square in [image 1]?",
    turns: [aRecordedTurn({ results })],
  });
  await storeIn(folder).addRollout(record);
  return folder;
}

it("shows the images that a text names, reports invalid ones, and requests no address", async () => {
  const { page } = await open({ folder: await writeRun() });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.getByRole("tab", { name: "Rollouts" }).click();
  await page.locator(".grid-row").first().click();
  const shown = page.getByAltText("Image 1 of the rollout");
  await shown.waitFor();
  const size = await page.evaluate(`
    const { naturalWidth, naturalHeight } = document.querySelector(".replay-image img");
    [naturalWidth, naturalHeight];`);
  expect(size).toEqual([224, 150]);
  await page.getByText("is not the one that the model saw").waitFor();
  expect(await page.locator(".replay-image").count()).toBe(2);
  // The page loads its own parts when a view is first opened.
  const isOwn = (url: string): boolean => /^http:\/\/dashboard\.test\/[\w.-]+$/.test(url);
  expect(asked.filter((url) => !url.startsWith("data:") && !isOwn(url))).toEqual([]);
});
