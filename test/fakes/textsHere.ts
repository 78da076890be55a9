/** The dashboard's reader of run texts, without its worker thread. */

import { basename } from "node:path";
import { readBehavior } from "../../src/core/changes/behavior.ts";
import { readChanges } from "../../src/core/changes/readChanges.ts";
import type { FileSystem } from "../../src/core/ports.ts";
import { searchRun } from "../../src/core/search/searchRun.ts";
import type { TextReader } from "../../src/server/dashboard/textReader.ts";

/** Always reads the run in `folder`, which the page knows by the folder's name. */
export function textsHere(fileSystem: FileSystem, folder: string): TextReader {
  const name = basename(folder);
  const files = fileSystem.within(folder);
  return {
    async *search(what) {
      for await (const report of searchRun(files, folder, what)) {
        yield { ...report, run: { id: name, name } };
      }
    },
    behavior: () => readBehavior(files, folder),
    changes: (_, ranges) => readChanges(files, folder, ranges),
  };
}
