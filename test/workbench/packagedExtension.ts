import { existsSync, readFileSync } from "node:fs";

/** The package built by `npm run package` for this version. @throws if it does not exist */
export function packagedExtension(): string {
  const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8")); // our own manifest
  const file = `dist/tinker-rl-${version}.vsix`;
  if (!existsSync(file)) throw new Error(`There is no ${file}; run \`npm run package\`.`);
  return file;
}
