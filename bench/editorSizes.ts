/** Size of the packaged extension. */

import { readFileSync, statSync } from "node:fs";
import { zipEntries } from "../scripts/zipEntries.ts";
import { packagedExtension } from "../test/workbench/packagedExtension.ts";
import { type Row, row } from "./editorTable.ts";

const PAGES = "dist/webview";
const MODEL = "extension/dist/trainer/model/";

export function sizeRows(): readonly Row[] {
  const file = packagedExtension();
  const entries = zipEntries(readFileSync(file));
  const model = entries.filter(({ name }) => name.startsWith(MODEL));
  const packed = statSync(file).size;
  const weights = model.reduce((sum, { packedBytes }) => sum + packedBytes, 0);
  const page = [...withImports("dashboard.js"), "style.css"].map(
    (name) => statSync(`${PAGES}/${name}`).size,
  );
  return [
    row("package without the data of the bundled model", [(packed - weights) / 1e6], 3, "MB"),
    row("package with it", [packed / 1e6], null, "MB"),
    row("panel, script and style", [page.reduce((sum, bytes) => sum + bytes, 0) / 1e3], 250, "kB"),
    row("panel, Markdown chunk", [statSync(`${PAGES}/markdown.js`).size / 1e3], 140, "kB"),
  ];
}

/** A script and all scripts that load with it. */
function withImports(script: string): ReadonlySet<string> {
  const found = new Set([script]);
  for (const name of found) {
    const text = readFileSync(`${PAGES}/${name}`, "utf8");
    for (const [, imported = ""] of text.matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g)) {
      found.add(imported);
    }
  }
  return found;
}
