/** Findings about where runs are stored, for a caller that knows the machine's folders. */

import { withSmallDrive } from "../../../util/driveLetter.ts";
import { withoutEnd } from "../../../util/textEdges.ts";
import type { Config } from "../../fields/schema.ts";
import { advice, type Finding } from "../../source/finding.ts";
import { setTo } from "../../source/remedy.ts";

/** Absolute paths, separated by `/` or `\`. */
export interface KnownFolders {
  readonly workspace: readonly string[];
  readonly home: string | null;
}

const TEMPORARY =
  /^(?:\/tmp|\/var\/tmp|\/private\/(?:var\/)?tmp|[a-z]:\/windows\/temp)(?:\/|$)|\/appdata\/local\/temp(?:\/|$)/i;
const SYNCED =
  /\/(?:dropbox|onedrive[^/]*|google drive|googledrive|my drive|icloud drive|mobile documents|box sync)(?:\/|$)/i;
const ABSOLUTE = /^(?:\/|[a-z]:\/)/i;

export function folderFindings(
  { log_path: folder }: Config,
  known: KnownFolders,
): readonly Finding[] {
  if (folder === null) return [];
  const why = objectionTo(folder.replaceAll("\\", "/"), known);
  if (why === null) return [];
  const message = `${why} Use the default folder, \`.tinker-rl/runs\` next to this file.`;
  const remedies = [setTo(["log_path"], null, "Use the default folder")];
  return [advice("TRL210", ["log_path"], message, { remedies })];
}

function objectionTo(folder: string, { workspace, home }: KnownFolders): string | null {
  if (TEMPORARY.test(folder)) return "This folder may be emptied on restart.";
  if (SYNCED.test(folder)) return "Folder sync can interfere with files that grow.";
  if (!ABSOLUTE.test(folder)) return null;
  const homes = [...workspace, ...(home === null ? [] : [home])];
  const isInside = homes.some((parent) => isWithin(folder, parent.replaceAll("\\", "/")));
  return isInside || homes.length === 0
    ? null
    : "This folder is outside the workspace and your home folder.";
}

function isWithin(folder: string, parent: string): boolean {
  const normal = (path: string): string => `${withSmallDrive(withoutEnd(path, /\//))}/`;
  return normal(folder).startsWith(normal(parent));
}
