/** Questions to a person at a terminal. */

import { createInterface } from "node:readline/promises";
import type { Readable, Writable } from "node:stream";

export function isPerson(input: Readable): boolean {
  return "isTTY" in input && input.isTTY === true;
}

/** Whether the answer is yes; `usual` is that of an empty line. */
export async function askYesNo(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  question: string,
  usual: "yes" | "no",
): Promise<boolean> {
  const reader = createInterface({ input, output });
  const answer = (await reader.question(`${question} `)).trim();
  reader.close();
  return answer === "" ? usual === "yes" : /^y(es)?$/i.test(answer);
}
