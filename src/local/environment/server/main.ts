/**
 * The environment process: `node environment.js --socket PATH | --port N [--max-sessions N] [--keyed | --datasets]`. Prints
 * one line `{"ready":true,"address":…}`, or `{"ready":false,"error":…}` if a dataset cannot be used, and runs until its parent closes
 * its standard input. The first line of standard input is, with `--keyed`, the key that every request must carry, and with `--datasets`,
 * a JSON list of datasets to serve as well, because paths may be long.
 */

import { parseArgs } from "node:util";
import { AppError, errorMessage, isAppError } from "../../../core/errors.ts";
import { createFileSystem } from "../../../node/fileSystem.ts";
import { firstLine } from "../../../node/firstLine.ts";
import { type ListenTarget, listen } from "../../http/listen.ts";
import {
  ADDRESS_OPTIONS,
  followParent,
  readTarget,
  removeSocketFolder,
  reportReady,
} from "../../http/servingProcess.ts";
import { EMBEDDED_ENVIRONMENTS } from "../catalogue.ts";
import type { DatasetSource } from "../dataset/datasetSource.ts";
import { type LoadedDataset, loadDataset } from "../dataset/loadDataset.ts";
import { createEnvironmentServer } from "./server.ts";

interface Options {
  readonly target: ListenTarget;
  readonly maxSessions: number;
  readonly isKeyed: boolean;
  readonly hasDatasets: boolean;
}

/** @throws AppError `bad-arguments` unless there is exactly one address, and a limit of at least 1 or none */
function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...ADDRESS_OPTIONS,
      "max-sessions": { type: "string" },
      keyed: { type: "boolean", default: false },
      datasets: { type: "boolean", default: false },
    },
  });
  const target = readTarget(values);
  const limit = values["max-sessions"];
  const maxSessions = limit === undefined ? Number.POSITIVE_INFINITY : Number(limit);
  const isLimit = limit === undefined || /^[1-9]\d*$/.test(limit);
  const { keyed: isKeyed, datasets: hasDatasets } = values;
  const isOneLine = !(isKeyed && hasDatasets);
  if (target !== null && isLimit && isOneLine) return { target, maxSessions, isKeyed, hasDatasets };
  throw new AppError(
    "bad-arguments",
    "The environment server needs one address. Usage: environment.js --socket PATH | --port N (0 to 65535) [--max-sessions N] [--keyed | --datasets]",
  );
}

async function run(): Promise<void> {
  const { asked, gone } = followParent();
  const { target, maxSessions, isKeyed, hasDatasets } = readOptions(process.argv.slice(2));
  const input = isKeyed || hasDatasets ? await firstLine(process.stdin) : null;
  const datasets = hasDatasets ? await loadDatasets(input ?? "") : [];
  const { server, close } = createEnvironmentServer({
    environments: [...EMBEDDED_ENVIRONMENTS, ...datasets.map(({ definition }) => definition)],
    maxSessions,
    apiKey: isKeyed ? input : null,
  });
  const address = await listen(server, target);
  const digests = Object.fromEntries(datasets.map((each) => [each.environment, each.digest]));
  reportReady({ ready: true, address, datasets: digests });
  await Promise.race([asked, gone]);
  await close();
  await removeSocketFolder(target);
}

/** In the order of `line`, which the parent wrote. @throws AppError `dataset-invalid` */
async function loadDatasets(line: string): Promise<readonly LoadedDataset[]> {
  const sources: readonly DatasetSource[] = JSON.parse(line);
  const fileSystem = createFileSystem();
  const loaded: LoadedDataset[] = [];
  // Sequentially, because reading a dataset may take a lot of memory.
  for (const source of sources) loaded.push(await loadDataset(fileSystem, source));
  return loaded;
}

try {
  await run();
  process.exit(0);
} catch (error) {
  if (isAppError(error, "dataset-invalid")) {
    const { code, message, configPath } = error;
    reportReady({ ready: false, error: { code, message, configPath } });
  }
  process.stderr.write(`The environment server cannot start: ${errorMessage(error)}\n`);
  process.exit(1);
}
