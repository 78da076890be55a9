import { existsSync, readFileSync } from "node:fs";

/** The package that `npm run package` made of this version. @throws when it was not made. */
export function packagedExtension(): string {
  const { version }: { version: string } = JSON.parse(readFileSync("package.json", "utf8")); // our own manifest
  const file = `dist/tinker-rl-${version}.vsix`;
  if (!existsSync(file)) throw new Error(`There is no ${file}; run \`npm run package\`.`);
  return file;
}
