import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Entry {
  readonly integrity?: string;
  readonly link?: boolean;
}

it("the lock file has a hash for every downloaded package", () => {
  const { packages }: { packages: Record<string, Entry> } = JSON.parse(
    readFileSync("package-lock.json", "utf8"),
  );
  const downloaded = Object.entries(packages).filter(
    ([place, { link }]) => place.startsWith("node_modules/") && link !== true,
  );
  expect(downloaded.length).toBeGreaterThan(100);
  const unchecked = downloaded.filter(([, { integrity }]) => !integrity?.startsWith("sha512-"));
  expect(unchecked.map(([place]) => place)).toEqual([]);
});
