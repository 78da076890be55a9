import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { OWN_KEYS } from "../../src/core/secrets/keySource.ts";
import { serviceVariables } from "../../src/core/secrets/serviceHosts.ts";

/** Names that a room asks for, as `variables("NAME")`, `named(variables, "NAME")` or `value("NAME")`. */
function requestedSessions(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const texts = files
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(folder, name), "utf8"));
  const asked = /\b(?:variables|named|value|cleaned)\((?:variables,\s*)?"([A-Z_]+)"/g;
  return [
    ...new Set(texts.flatMap((text) => [...text.matchAll(asked)].map((match) => match[1] ?? ""))),
  ];
}

it("an editor hands over every variable that a trainer asks for by name", () => {
  const names = requestedSessions("src/trainer");
  expect(names.length).toBeGreaterThan(5);
  const values = Object.fromEntries(names.map((name) => [name, "value"]));
  const handed = Object.keys(serviceVariables(values));
  expect(names.filter((name) => !handed.includes(name) && !OWN_KEYS.has(name))).toEqual([]);
});
