/** Shows that the test would find a secret: plants one in every encoding and every kind of place, independently of the search's code. */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import type { FakeService, FakeServices } from "./secretsFakeServices.ts";
import { archiveContents, treeContents } from "./secretsPlaces.ts";
import { type Shown, watchProcesses } from "./secretsProcesses.ts";
import { makePlace, runWatched } from "./secretsRun.ts";
import { Search } from "./secretsSearch.ts";

const CANARY = `cn${randomBytes(8).toString("hex")} "ß/+?%\\~${randomBytes(6).toString("hex")}`;
const HEADER_CANARY = `cn${randomBytes(8).toString("hex")}"/+?%\\~${randomBytes(6).toString("hex")}`;

/** The canary, encoded by independent code. */
const WRITTEN: Readonly<Record<string, readonly string[]>> = {
  raw: [`x${CANARY}y`],
  beginning: [`${CANARY.slice(0, 15)}…`],
  end: [`…${CANARY.slice(-14)}`],
  JSON: [JSON.stringify({ key: CANARY }), JSON.stringify(JSON.stringify([CANARY]))],
  "JSON, escaped slash": [`"${JSON.stringify(CANARY).slice(1).replace("/", "\\/")}`],
  "JSON, numbers": [
    Array.from(CANARY, (sign) =>
      /\w/.test(sign) ? sign : `\\u00${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
    ).join(""),
  ],
  HTML: [
    CANARY.replace('"', "&quot;"),
    CANARY.replace('"', "&#34;"),
    CANARY.replace('"', "&#x22;"),
  ],
  URL: [`/a?b=${encodeURIComponent(CANARY)}&c`, encodeURIComponent(CANARY).toLowerCase()],
  "URL, all characters": [
    Array.from(new TextEncoder().encode(CANARY), (byte) => `%${byte.toString(16)}`).join(""),
  ],
  form: [new URLSearchParams({ key: CANARY }).toString().replaceAll("%7E", "~")],
  base64: ["", "a", "ab"].flatMap((before) => [
    Buffer.from(`${before}${CANARY}z`).toString("base64"),
    Buffer.from(JSON.stringify({ [before]: { value: CANARY } })).toString("base64"),
  ]),
  base64url: ["", "a", "ab"].map((before) =>
    Buffer.from(`${before}${CANARY}z`).toString("base64url"),
  ),
  "base64 in lines": ["\n", "\r\n"].flatMap((end) => {
    const digits = Buffer.from(`${CANARY}z`).toString("base64").replace(/^.{8}/, `$&${end}`);
    return [digits, JSON.stringify({ digits })];
  }),
  hex: [Buffer.from(`q${CANARY}`).toString("hex"), Buffer.from(CANARY).toString("hex")],
};

/** What the search failed to find; empty if it found everything. */
export async function searchFaults(
  root: string,
  fakeServices: FakeServices,
): Promise<readonly string[]> {
  const faults: string[] = [];
  const search = new Search([
    { name: "canary", value: CANARY },
    { name: "header canary", value: HEADER_CANARY },
  ]);
  const sees = (what: string, contents: Iterable<Buffer | string>, encoding?: string): void => {
    const found = [...contents].flatMap((content) => search.find(content));
    if (!found.some((each) => encoding === undefined || each.encoding === encoding)) {
      faults.push(`the search is blind: ${what}`);
    }
  };
  for (const [encoding, texts] of Object.entries(WRITTEN)) {
    for (const [i, text] of texts.entries()) sees(`${encoding} ${i}`, [text], encoding);
  }
  if (search.find(randomBytes(100_000)).length > 0)
    faults.push("the search finds what is not there");
  const place = makePlace(root, "canary");
  mkdirSync(join(place.temp, "deep"));
  writeFileSync(
    join(place.temp, "deep", "a.bin"),
    Buffer.concat([randomBytes(50_000), Buffer.from(CANARY)]),
  );
  sees("a file", contentsOf(treeContents(place.temp)));
  sees("an archive", contentsOf(archiveContents(archive(CANARY))));
  const reported = await runWatched(place, ["validate", CANARY], { CANARY });
  sees("output", [reported.stderr, reported.stdout]);
  sees("a command line", texts(reported.seen.commandLines));
  sees("variables", texts(reported.seen.variables));
  sees("files of a process", reported.seen.files.values());
  sees("variables of a grandchild", await grandchild(place.temp));
  for (const service of Object.values(fakeServices) as readonly FakeService[]) {
    const [header, body, ...more] = await sends(service);
    sees(`a header sent to ${service.name}`, [header ?? ""]);
    sees(`a body sent to ${service.name}`, [body ?? ""]);
    if (more.length > 0) faults.push(`${service.name} was asked before the first run`);
  }
  return faults;
}

function* contentsOf(files: Iterable<readonly [string, Buffer]>): Iterable<Buffer> {
  for (const [, content] of files) yield content;
}

function texts(shown: readonly Shown[]): readonly string[] {
  return shown.map(({ text }) => text);
}

/** The variables of a process that the watched process's child starts. */
async function grandchild(folder: string): Promise<readonly string[]> {
  const spawns = (file: string, env: object): string =>
    `require("node:child_process").spawn(process.execPath, [${JSON.stringify(file)}], { env: ${JSON.stringify(env)} })`;
  const files = ["parent.js", "child.js", "grandchild.js"].map((name) => join(folder, name));
  const [parent = "", child = "", last = ""] = files;
  writeFileSync(parent, spawns(child, {}));
  writeFileSync(child, spawns(last, { CANARY }));
  writeFileSync(last, "setTimeout(() => undefined, 1_000)");
  const started = spawn(process.execPath, [parent], { stdio: "ignore" });
  const watch = watchProcesses(started.pid ?? 0, folder);
  await once(started, "exit");
  return texts(watch.stop().variables);
}

/** A request with a canary in a header and in its body. */
async function sends({ url, sent }: FakeService): Promise<readonly Buffer[]> {
  const headers = { "x-other": HEADER_CANARY };
  await fetch(`${url}/canary`, { method: "POST", headers, body: "{}" });
  await fetch(`${url}/canary`, { method: "POST", body: JSON.stringify({ CANARY }) });
  return sent.splice(0);
}

/** A zip archive with one compressed file. */
function archive(content: string): Buffer {
  const name = Buffer.from("canary.txt");
  const packed = deflateRawSync(Buffer.from(content));
  const local = Buffer.alloc(30);
  local.writeUInt32LE(0x04034b50);
  local.writeUInt16LE(8, 8);
  local.writeUInt16LE(name.length, 26);
  const central = Buffer.alloc(46);
  central.writeUInt32LE(0x02014b50);
  central.writeUInt32LE(packed.length, 20);
  central.writeUInt16LE(name.length, 28);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(local.length + name.length + packed.length, 16);
  return Buffer.concat([local, name, packed, central, name, end]);
}
