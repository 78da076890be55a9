/** What the test has searched and found, by place. */

import { join } from "node:path";
import type { FakeService } from "./secretsFakeServices.ts";
import { treeContents } from "./secretsPlaces.ts";
import type { Place, WatchedRun } from "./secretsRun.ts";
import { type Finding, Search, type Secret } from "./secretsSearch.ts";

type Contents = Iterable<readonly [where: string, content: Buffer | string]>;

interface Row {
  bytes: number;
  readonly findings: Set<string>;
}

const SHOWN = 12;
const NAME_WIDTH = 58;

export class Report {
  readonly #search: Search;
  readonly #rows = new Map<string, Row>();
  readonly #faults: string[] = [];

  constructor(secrets: readonly Secret[]) {
    this.#search = new Search(secrets);
  }

  /** Searches texts of one place. Secrets that `mayHold` names belong there. */
  look(place: string, contents: Contents, mayHold: readonly string[] = []): void {
    const row = this.#rows.get(place) ?? { bytes: 0, findings: new Set() };
    this.#rows.set(place, row);
    for (const [where, content] of contents) {
      row.bytes += content.length;
      for (const { secret, encoding } of this.#found(content, mayHold)) {
        row.findings.add(`${secret} (${encoding}) in ${where}`);
      }
    }
  }

  /** A command's output, and what its processes showed; `variables` are those that the user gave to the first of them. */
  lookAtProcesses(name: string, reported: WatchedRun, variables: readonly string[] = []): void {
    const { stdout, stderr, seen } = reported;
    this.look(`${name}: output`, [
      ["stdout", stdout],
      ["stderr", stderr],
    ]);
    for (const { pid, text, name: process } of seen.variables) {
      const given = pid === reported.pid ? variables : [];
      this.look(`${name}: variables of processes`, [[process, text]], given);
    }
    for (const { pid, text } of seen.commandLines) {
      this.look(`${name}: command lines`, [[`process ${pid}`, text]]);
    }
    this.look(`${name}: files while it ran`, seen.files);
    this.expect(seen.commandLines.length > 0, `${name}: no process was seen`);
  }

  /** Remaining files: run folders, caches, temporary files; not what the user wrote. */
  lookAtFiles(name: string, { project, home, temp }: Place): void {
    this.look(`${name}: run folders`, treeContents(join(project, ".tinker-rl")));
    this.look(`${name}: home and temporary files`, treeContents(home));
    this.look(`${name}: home and temporary files`, treeContents(temp));
  }

  /** What a service received besides its own key. */
  lookAtService(name: string, service: FakeService, mayHold: readonly string[]): void {
    const requests = service.sent.map((sent) => {
      const [line = ""] = sent.toString("utf8").split("\n", 1);
      return [line, sent] as const;
    });
    this.look(`${name}: sent to ${service.name}`, requests, mayHold);
  }

  /** Records that the test itself went wrong, so that its findings mean little. */
  expect(holds: boolean, fault: string): void {
    if (!holds) this.#faults.push(fault);
  }

  /** True if nothing was found and the test went well. */
  print(): boolean {
    let found = 0;
    for (const [place, { bytes, findings }] of this.#rows) {
      found += findings.size;
      const count = findings.size === 0 ? "none" : `${findings.size} FOUND`;
      console.log(`${place.padEnd(NAME_WIDTH)} ${String(bytes).padStart(10)} bytes  ${count}`);
      for (const finding of [...findings].slice(0, SHOWN)) console.log(`    ${finding}`);
    }
    for (const fault of this.#faults) console.log(`WRONG: ${fault}`);
    console.log(`${found} found, ${this.#faults.length} faults of the test`);
    return found + this.#faults.length === 0;
  }

  #found(content: Buffer | string, mayHold: readonly string[]): readonly Finding[] {
    return this.#search.find(content).filter(({ secret }) => !mayHold.includes(secret));
  }
}
