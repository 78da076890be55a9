import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first of `names` that is a program on PATH, or null. */
export function programOnPath(...names: readonly string[]): string | null {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const places = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return places.find(isProgram) ?? null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
