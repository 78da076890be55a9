/** A run's configuration with all defaults, and the origin of each value. */

import * as z from "zod";
import { coerce } from "../../core/config/fields/coerce.ts";
import type { Shape } from "../../core/config/fields/field.ts";
import { childShape, configShape } from "../../core/config/fields/fields.ts";
import { applyOverrides } from "../../core/config/overrides.ts";
import { readYaml } from "../../core/config/source/yamlSource.ts";
import { isJsonObject } from "../../core/json.ts";
import type { FolderFiles } from "../../core/ports.ts";
import { runPaths } from "../../core/runFolder/files/layout.ts";
import { MAX_BYTES, readIfReadable } from "../../core/runFolder/files/wholeFiles.ts";
import { parseJson } from "../../core/util/jsonl.ts";
import type { ConfigEntry, ConfigOrigin, ConfigView } from "../../shared/dashboardTypes.ts";
import { formatKey } from "../../shared/format.ts";

const overrideTexts = z.array(z.string().max(10_000)).max(500);
/** Longer values are truncated; the run's file has the full value. */
const MAX_VALUE = 2_000;
/** More entries than any configuration has. */
const MAX_ENTRIES = 5_000;

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly isTunable: boolean;
}

/** Entries in the order of the resolved configuration; empty if the folder has no readable one. */
export async function readConfigView(
  fileSystem: FolderFiles,
  folder: string,
  shortenPath: (path: string) => string,
): Promise<Omit<ConfigView, "path">> {
  const paths = runPaths(folder);
  const read = (path: string, maxBytes: number) => readIfReadable(fileSystem, path, maxBytes);
  const resolved = parseJson(
    (await read(paths.resolvedConfig, MAX_BYTES.resolvedConfig)) ?? "",
  )?.value;
  const written = await read(paths.config, MAX_BYTES.config);
  const stored = parseJson((await read(paths.overrides, MAX_BYTES.overrides)) ?? "[]")?.value;
  const overrides = overrideTexts.safeParse(stored).data ?? [];
  const originOf = originFinder(written, overrides);
  const found = leaves(resolved, [], configShape, false).slice(0, MAX_ENTRIES);
  const entries = found.map(
    ({ path, value, isTunable }): ConfigEntry => ({
      key: formatKey(path),
      path,
      value: shownValue(value, shortenPath),
      origin: originOf(path),
      isTunable,
    }),
  );
  const shownOverrides = overrides.map((override) =>
    override.replace(/(?<==)\S.*$/s, (value) => withShortPath(value, shortenPath)),
  );
  return { entries, overrides: shownOverrides };
}

function shownValue(value: unknown, shortenPath: (path: string) => string): string {
  const shown = typeof value === "string" ? withShortPath(value, shortenPath) : value;
  return (JSON.stringify(shown) ?? "null").slice(0, MAX_VALUE);
}

/** The value of a setting, shortened if it is an absolute path. */
export function withShortPath(value: string, shortenPath: (path: string) => string): string {
  return /^(\/|[A-Za-z]:[\\/])/.test(value) ? shortenPath(value) : value;
}

function leaves(
  value: unknown,
  path: readonly string[],
  shape: Shape | undefined,
  isTunable: boolean,
): readonly Leaf[] {
  const own = isTunable || (shape !== undefined && "change" in shape && shape.change === "tunable");
  if (!isJsonObject(value) || Object.keys(value).length === 0) {
    return path.length === 0 ? [] : [{ path, value, isTunable: own }];
  }
  return Object.entries(value).flatMap(([key, item]) =>
    leaves(item, [...path, key], childShape(shape, key), own),
  );
}

/** Returns a function that finds the origin of the value at a path; it returns null if the file cannot be read. */
function originFinder(
  text: string | null,
  overrides: readonly string[],
): (path: readonly string[]) => ConfigOrigin | null {
  if (text === null) return () => null;
  const source = readYaml(text, "yaml");
  if (source.root === null || source.faults.some(({ severity }) => severity === "error")) {
    return () => null;
  }
  const written = coerce(source, source.root, configShape);
  const { applied } = applyOverrides(written, overrides);
  const overridden = applied.map(({ path }) => path);
  return (path) => {
    const isOverridden = overridden.some((start) => start.every((key, at) => path[at] === key));
    if (isOverridden) return "override";
    return isWritten(written, path) ? "file" : "default";
  };
}

function isWritten(written: unknown, path: readonly string[]): boolean {
  let value = written;
  for (const key of path) {
    // A shorthand such as `thinking: true` sets everything below it.
    if (!isJsonObject(value)) return value !== null && value !== undefined;
    if (!Object.hasOwn(value, key)) return false;
    value = value[key];
  }
  return true;
}
