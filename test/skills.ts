/** The skills of the repository, with the commands and tools that they name. */

import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";

export interface Skill {
  readonly folder: string;
  /** Of the head of its file. */
  readonly head: unknown;
  readonly text: string;
  /** Words of each command, without the program. */
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

/** Words in single back-ticks. */
export function codes(text: string): readonly string[] {
  const prose = text.replace(/^ *```.*?^ *```$/gms, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Puts names in the place of the words in capitals. */
export function withNames(
  words: readonly string[],
  names: Readonly<Record<string, string>>,
): readonly string[] {
  return words.map((word) => (Object.hasOwn(names, word) ? (names[word] ?? "") : word));
}
