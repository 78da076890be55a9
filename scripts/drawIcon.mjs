// Renders media/icon.png from media/icon.svg with the installed Chromium: `node scripts/drawIcon.mjs`.

import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const SIZE = 256;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
const page = await browser.newPage({ viewport: { width: SIZE, height: SIZE } });
await page.setContent(`<body style="margin:0">${readFileSync("media/icon.svg", "utf8")}</body>`);
await page.screenshot({ path: "media/icon.png", omitBackground: true });
await browser.close();
