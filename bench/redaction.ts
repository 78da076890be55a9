/**
 * Measures the CPU time of redacting stored text, for ordinary and difficult texts and secrets.
 * Run: `npm run bench:redaction`.
 */

import { readFile } from "node:fs/promises";
import { Redactor } from "../src/core/secrets/redaction/redactor.ts";
import { integerBetween } from "../src/local/random.ts";
import { createUniform } from "../src/shared/uniform.ts";
import { medianSeconds, print } from "./measure.ts";

const CHARACTERS = 1_000_000;
const KEYS = ["tml-8f14e45fceea167a5a36dedd4bea2543", "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"];
const SECRETS = {
  "two keys": KEYS,
  "two keys and 6 letters": [...KEYS, "hunter"],
  "a secret with ä": [...KEYS, "Schlüsselwörter für ä"],
};

const uniform = createUniform(1);
const bytes = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => integerBetween(uniform, 0, 255)));

async function texts(): Promise<Readonly<Record<string, string>>> {
  const prose = await readFile("README.md", "utf8");
  const code = await readFile("src/core/secrets/redaction/redactor.ts", "utf8");
  const filled = (text: string): string =>
    text.repeat(Math.ceil(CHARACTERS / text.length)).slice(0, CHARACTERS);
  const call = {
    id: "call_5f3c9d1e-7b0a-4b1f-9a55-0e6d2c1b7a90",
    arguments: JSON.stringify({ path: "/usr/lib/python3/dist-packages/app.py", text: code }),
  };
  const turns = [{ text: prose }, call, { commit: bytes(20).toString("hex"), reward: 0.25 }];
  const html = prose.replaceAll('"', "&quot;").replaceAll("`", "&#96;");
  return {
    "a transcript as JSON": filled(JSON.stringify(turns)),
    "the same in JSON once more": filled(JSON.stringify(JSON.stringify(turns))),
    prose: filled(prose),
    code: filled(code),
    "HTML with quotes and links": filled(`${html}<a href="/find?q=a%20b%2Fc&amp;n=1">`),
    "random base64": filled(bytes(CHARACTERS).toString("base64")),
    "random hexadecimal digits": filled(bytes(CHARACTERS).toString("hex")),
    "base64 of prose, 76 in a line": filled(Buffer.from(prose).toString("base64")).replace(
      /.{76}/g,
      "$&\n",
    ),
    "one letter": "a".repeat(CHARACTERS),
    "one word a line": filled("transcript\n"),
    backslashes: "\\".repeat(CHARACTERS),
  };
}

for (const [textName, text] of Object.entries(await texts())) {
  const megabytes = Buffer.byteLength(text) / 1e6;
  for (const [secretsName, values] of Object.entries(SECRETS)) {
    const redactor = new Redactor();
    for (const value of values) redactor.learn(value);
    const seconds = medianSeconds(() => redactor.redact(text));
    print({
      name: `${textName}; ${secretsName}`,
      value: (seconds * 1000) / megabytes,
      unit: "ms/MB",
    });
  }
}
