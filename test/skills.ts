/** Parses the repository's skills, with the commands and tools that they mention. */

import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

export interface Skill {
  readonly folder: string;
  /** Front matter of the file. */
  readonly head: unknown;
  readonly text: string;
  /** The words of each command, without the program name. */
  readonly commands: readonly (readonly string[])[];
}

const FILE = /^---\n(?<head>.*?)\n---\n(?<text>.*)$/s;
const SHELL = /^( *)```sh\n(?<lines>.*?)^ *```$/gms;

export const SKILLS: readonly Skill[] = readdirSync("skills").map((folder) => {
  const { head = "", text = "" } =
    FILE.exec(readFileSync(`skills/${folder}/SKILL.md`, "utf8"))?.groups ?? {};
  const lines = [...text.matchAll(SHELL)].flatMap(({ groups }) => groups?.["lines"]?.split("\n"));
  const commands = lines.flatMap((line) => (line?.trim() ? [line.trim().split(" ")] : []));
  return {
    folder,
    head: parse(head),
    text,
    commands: commands.map(([program, ...words]) => {
      if (program !== "tinker-rl") throw new Error(`${folder} runs ${program}.`);
      return words;
    }),
  };
});

/** Code spans in single backticks. */
export function codes(text: string): readonly string[] {
  const prose = text.replace(/^ *```.*?^ *```$/gms, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Replaces words in capitals with names. */
export function withNames(
  words: readonly string[],
  names: Readonly<Record<string, string>>,
): readonly string[] {
  return words.map((word) => (Object.hasOwn(names, word) ? (names[word] ?? "") : word));
}
