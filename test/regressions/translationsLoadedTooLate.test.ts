import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const FOLDER = "webview-ui/strings";

it("a file of texts loads the translations before it translates, in whichever part of the page it ends up", () => {
  const files = readdirSync(FOLDER).filter((file) => file !== "loadTranslations.ts");
  const texts = files.map((file) => [file, readFileSync(`${FOLDER}/${file}`, "utf8")] as const);
  const translating = texts.filter(([, text]) => text.includes("shared/l10n.ts"));
  expect(translating.length).toBeGreaterThan(5);
  const early = translating.filter(([, text]) => text.includes('import "./loadTranslations.ts";'));
  expect(early.map(([file]) => file)).toEqual(translating.map(([file]) => file));
});
