/** Which files are configurations: decided by name, or by a `# tinker-rl: config` comment in the first lines. */

import { fitsWildcard } from "./wildcard.ts";

/** The configuration file used when none is given. */
export const DEFAULT_CONFIG = "tinker-config.yaml";

/** Default file name patterns; `*` matches any text. */
export const CONFIG_NAMES: readonly string[] = [
  DEFAULT_CONFIG,
  "tinker-config.yml",
  "tinker-config.json",
  "*.tinker.yaml",
  "*.tinker.yml",
];

const MODELINE = /^\s*#\s*tinker-rl:\s*config\b/;
const MODELINE_LINES = 5;

/** Whether the file name in `path` matches one of the patterns. */
export function isConfigName(path: string, names: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return names.some((pattern) => fitsWildcard(name, pattern));
}

/** Whether a text declares itself a configuration. `lines`: the first lines of the text, or all of them. */
export function hasModeline(lines: readonly string[]): boolean {
  return lines.slice(0, MODELINE_LINES).some((line) => MODELINE.test(line));
}
