/** Feeds 10,000 hostile texts (or as many as its argument says), and all prefixes of the examples, to an editor's config requests. */

import { readFileSync } from "node:fs";
import { fuzzedText, uniformFrom, useAll } from "../core/config/editing/fuzzedTexts.ts";

const TEXTS = Number(process.argv[2] ?? 10_000);
/** Larger than a configuration may be, to exercise the limits. */
const HOSTILE_SIZE = 300_000;

const sound = ["local", "hosted", "agents"].map((name) =>
  readFileSync(`examples/${name}/tinker-config.yaml`, "utf8"),
);
const uniform = uniformFrom(1);
const slowest = { ms: 0, what: "" };
let failures = 0;
let marks = 0;

function play(what: string, text: string, offset: number, path: string): void {
  const before = performance.now();
  try {
    marks += useAll(text, offset, path);
  } catch (error) {
    failures += 1;
    console.error(`${what}: ${error instanceof Error ? error.stack : error}`);
    console.error(JSON.stringify(text.slice(0, 300)));
  }
  const ms = performance.now() - before;
  if (ms > slowest.ms)
    Object.assign(slowest, { ms, what: `${what}: ${JSON.stringify(text.slice(0, 60))}` });
}

for (let index = 0; index < TEXTS; index++) {
  const text = fuzzedText(index, uniform, sound, index % 50 === 4 ? HOSTILE_SIZE : 3000);
  const path = uniform() < 0.2 ? "run.json" : "run.yaml";
  play(`text ${index}`, text, Math.floor(uniform() * (text.length + 1)), path);
}
for (const text of sound) {
  for (let end = 0; end <= text.length; end++)
    play(`prefix ${end}`, text.slice(0, end), end, "run.yaml");
}

console.log(
  `${TEXTS} texts and ${sound.join("").length + 2} prefixes, ${marks} marks, ${failures} failures`,
);
console.log(`slowest, with everything asked: ${slowest.ms.toFixed(0)} ms, ${slowest.what}`);
console.log(`memory at most ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
process.exitCode = failures === 0 ? 0 : 1;
