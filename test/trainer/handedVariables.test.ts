import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { OWN_KEYS } from "../../src/core/secrets/keySource.ts";
import { serviceVariables } from "../../src/core/secrets/serviceHosts.ts";

/** Variable names read by a source folder, as `variables("NAME")`, `named(variables, "NAME")` or `value("NAME")`. */
function variableNames(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const asked = /\b(?:variables|named|value|cleaned)\((?:variables,\s*)?"([A-Z_]+)"/g;
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(asked)].map((match) => match[1] ?? ""))),
  ];
}

it("an editor passes every variable that a trainer reads by name", () => {
  const names = variableNames("src/trainer");
  expect(names.length).toBeGreaterThan(5);
  const values = Object.fromEntries(names.map((name) => [name, "value"]));
  const handed = Object.keys(serviceVariables(values));
  expect(names.filter((name) => !handed.includes(name) && !OWN_KEYS.has(name))).toEqual([]);
});
