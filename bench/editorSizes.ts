/** What the extension weighs, as it is packed. */

import { readFileSync, statSync } from "node:fs";
import { zipEntries } from "../scripts/zipEntries.ts";
import { packagedExtension } from "../test/workbench/packagedExtension.ts";
import type { Row } from "./editorTable.ts";

const MODEL = "extension/dist/trainer/model/";

export function sizeRows(): readonly Row[] {
  const file = packagedExtension();
  const entries = zipEntries(readFileSync(file));
  const model = entries.filter(({ name }) => name.startsWith(MODEL));
  const packed = statSync(file).size;
  const weights = model.reduce((sum, { packedBytes }) => sum + packedBytes, 0);
  const page = ["dashboard.js", "style.css"].map((name) => statSync(`dist/webview/${name}`).size);
  return [
    size("package without the data of the bundled model", (packed - weights) / 1e6, "MB", 3),
    size("package with it", packed / 1e6, "MB", null),
    size("panel, script and style", page.reduce((sum, bytes) => sum + bytes, 0) / 1e3, "kB", 250),
    size("panel, Markdown chunk", statSync("dist/webview/markdown.js").size / 1e3, "kB", 140),
  ];
}

function size(what: string, value: number, unit: string, budget: number | null): Row {
  return { what, samples: [value], unit, budget };
}
