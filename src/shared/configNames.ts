/** Which files are configurations: by their name, or by a comment `# tinker-rl: config` among the first lines. */

import { fitsWildcard } from "./wildcard.ts";

/** The configuration of a folder, where nothing else is named. */
export const DEFAULT_CONFIG = "tinker-config.yaml";

/** Names that count without a setting; `*` matches any text. */
export const CONFIG_NAMES: readonly string[] = [
  DEFAULT_CONFIG,
  "tinker-config.yml",
  "tinker-config.json",
  "*.tinker.yaml",
  "*.tinker.yml",
];

const MODELINE = /^\s*#\s*tinker-rl:\s*config\b/;
const MODELINE_LINES = 5;

/** Whether the last part of `path` fits one of the names. */
export function isConfigName(path: string, names: readonly string[]): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return names.some((pattern) => fitsWildcard(name, pattern));
}

/** `lines` are the first ones of a text, or all of them. */
export function saysConfig(lines: readonly string[]): boolean {
  return lines.slice(0, MODELINE_LINES).some((line) => MODELINE.test(line));
}
