/** The images of a rollout in the built page: from the run folder, and from nowhere else. */

import { mkdirSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readImage } from "../../src/core/images/imageFile.ts";
import { storeImages } from "../../src/core/runFolder/imageFiles.ts";
import { createRolloutStore } from "../../src/core/runFolder/rolloutStore.ts";
import { Redactor } from "../../src/core/secrets/redaction/redactor.ts";
import { createFileSystem } from "../../src/node/fileSystem.ts";
import { sha256 } from "../../src/node/hash.ts";
import { aRecord } from "../core/runFolder/builders.ts";
import { writeHardRun } from "../host/dashboard/writtenRun.ts";
import { launchBrowser } from "../workbench/browser.ts";
import { openDashboardPage } from "./dashboardPage.ts";
import { THEMES } from "./themes.ts";

const SHOTS = "out/shots";
let browser: Browser;
let parent = "";

beforeAll(async () => {
  browser = await launchBrowser();
  parent = await mkdtemp(join(tmpdir(), "tinker-rl-images-"));
});
afterAll(async () => {
  await browser?.close();
  await rm(parent, { recursive: true, force: true });
});

/** The first rollout of the last step has two images, of which the second one is damaged. */
async function writeRun(): Promise<string> {
  const fileSystem = createFileSystem();
  const { folder, step } = await writeHardRun(fileSystem, parent, { rollouts: 8, tokens: 20 });
  const files = fileSystem.within(folder);
  const pictures = [picture(224, 150), picture(96, 96)].map((file) => ({ file, tokens: 70 }));
  const images = await storeImages(pictures, { fileSystem: files, folder, sha256 });
  await writeFile(join(folder, "images", images[1]?.file ?? ""), "something else");
  const [turn] = aRecord().turns;
  if (turn === undefined) throw new Error("The sample record has a turn.");
  const [result] = turn.results;
  if (result === undefined) throw new Error("The sample turn has a result.");
  const results = [{ ...result, text: "Looked: [image 2] [image 9]" }];
  const record = aRecord({
    ...{ step, group: 0, rollout: 0, images },
    promptText: "What colour is the square in [image 1]?",
    turns: [{ ...turn, results }],
  });
  await createRolloutStore({ fileSystem: files, redactor: new Redactor(), folder }).addRollout(
    record,
  );
  await fileSystem.close();
  return folder;
}

/** A gradient. */
function picture(width: number, height: number) {
  const rows = Buffer.alloc(height * (1 + width * 3));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const at = y * (1 + width * 3) + 1 + x * 3;
      rows.set([(255 * x) / width, (255 * y) / height, 160], at);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const chunks = [chunk("IHDR", header), chunk("IDAT", deflateSync(rows)), chunk("IEND")];
  return readImage(Buffer.concat([signature, ...chunks]).toString("base64"));
}

function chunk(name: string, data = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(name), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, check]);
}

function crc32(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

it("shows images where a text names them, says what is wrong with others, and asks no address", async () => {
  const [theme] = THEMES;
  if (theme === undefined) throw new Error("There is no theme.");
  const folder = await writeRun();
  const { page, faults, setTheme, close } = await openDashboardPage(browser, { folder, theme });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.getByRole("tab", { name: "Trajectories" }).click();
  await page.locator(".grid-row").first().click();
  const shown = page.getByAltText("Image 1 of the rollout");
  await shown.waitFor();
  const size = await page.evaluate(`
    const { naturalWidth, naturalHeight } = document.querySelector(".replay-image img");
    [naturalWidth, naturalHeight];`);
  expect(size).toEqual([224, 150]);
  await page.getByText("is not the one that the model saw").waitFor();
  expect(await page.locator(".replay-image").count()).toBe(2);
  expect(asked.filter((url) => !url.startsWith("data:"))).toEqual([]);
  expect(faults).toEqual([]);
  mkdirSync(SHOTS, { recursive: true });
  for (const each of THEMES) {
    await setTheme(each);
    await page.screenshot({ path: `${SHOTS}/replayImages-${each.name}.png` });
  }
  await close();
});
