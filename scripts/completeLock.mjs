// Completes package-lock.json: adds optional platform packages that npm left out on this machine, because `npm ci` refuses a lock
// without them and other machines may need them, and adds missing integrity hashes, because npm installs packages without a hash
// unchecked. Run after every `npm install`: `npm run lock`.

import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";

const PATH = "package-lock.json";
const SYSTEMS = {
  darwin: "darwin",
  win32: "win32",
  linux: "linux",
  android: "android",
  freebsd: "freebsd",
  openharmony: "openharmony",
  aix: "aix",
  sunos: "sunos",
  netbsd: "netbsd",
  openbsd: "openbsd",
};
const PROCESSORS = [
  "arm64",
  "x64",
  "ia32",
  "arm",
  "ppc64",
  "riscv64",
  "s390x",
  "loong64",
  "mips64el",
];

/** Platform of a package according to its name; null if it names none. */
function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = words.map((word) => SYSTEMS[word]).find((system) => system !== undefined);
  const cpu = words.find((word) => PROCESSORS.includes(word));
  return os === undefined ? null : { os: [os], cpu: cpu === undefined ? undefined : [cpu] };
}

const lock = JSON.parse(await readFile(PATH, "utf8"));
const added = {};
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[place] !== undefined || platform === null) continue;
    added[place] = {
      version,
      cpu: platform.cpu,
      dev: true,
      optional: true,
      os: platform.os,
    };
  }
}
/** Integrity hash of a published version from the registry. @throws Error if there is none */
function integrityOf(name, version) {
  const text = execFileSync("npm", ["view", `${name}@${version}`, "dist.integrity"], {
    encoding: "utf8",
  }).trim();
  if (!text.startsWith("sha512-"))
    throw new Error(`The registry has no hash of ${name}@${version}.`);
  return text;
}

const all = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
for (const [place, entry] of all) {
  const isOwn = !place.startsWith("node_modules/") || entry.link === true;
  if (isOwn || entry.integrity !== undefined) continue;
  entry.integrity = integrityOf(place.split("node_modules/").at(-1), entry.version);
}
lock.packages = Object.fromEntries(all);
await writeFile(PATH, `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${Object.keys(added).length} optional packages added\n`);
