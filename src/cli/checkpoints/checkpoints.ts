/** The command `checkpoints`: lists, describes, downloads, publishes, extends and deletes checkpoints. */

import { resolve } from "node:path";
import * as l10n from "@vscode/l10n";
import {
  checkpointFields,
  checkpointOutput,
  checkpointsOutput,
  runCheckpointsOutput,
} from "../../core/outputs/checkpointsOutput.ts";
import { readCheckpoints, usableCheckpoints } from "../../core/runFolder/checkpointLog.ts";
import type { CheckpointChange } from "../../core/tinker/checkpointChange.ts";
import { visibleLine } from "../../core/util/visibleText.ts";
import { formatBytes, plural } from "../../shared/format.ts";
import type { ChangedCheckpoint } from "../../trainer/checkpoints/changeCheckpoints.ts";
import type { StoredCheckpoint } from "../../trainer/checkpoints/listCheckpoints.ts";
import type { PlacesRequest } from "../../trainer/checkpoints/places.ts";
import type { CheckpointAction, CheckpointsCommand } from "../arguments/checkpointArguments.ts";
import type { TrainerProgram } from "../arguments/programOptions.ts";
import { requireRun } from "../arguments/requireRun.ts";
import { jsonLine } from "../terminal/asciiJson.ts";
import { type Line, type LinePiece, labelled } from "../terminal/line.ts";
import { type Column, tableLines } from "../terminal/table.ts";
import { checkpointLines, minuteText } from "./checkpointLines.ts";
import { downloadWeights } from "./downloadWeights.ts";

const DAY_S = 24 * 3600;

type Action<Kind extends CheckpointAction["action"]> = Extract<CheckpointAction, { action: Kind }>;

/** @throws from the trainer; changes printed before an error remain */
export async function runCheckpoints(
  options: TrainerProgram,
  { action, isLocalOnly, allowedOrigins }: CheckpointsCommand,
): Promise<void> {
  const onNotice = (message: string): void => options.err.print([[visibleLine(message)]]);
  const places = { isLocalOnly, allowedOrigins, folder: options.invocation.cwd, onNotice };
  switch (action.action) {
    case "list":
      options.out.print(await listLines(options, places, action));
      return;
    case "info":
      options.out.print(await infoLines(options, places, action));
      return;
    case "download":
      return await downloadWeights(options, places, action);
    case "change":
      return await change(options, places, action);
  }
}

async function listLines(
  { fileSystem, trainer, clock }: TrainerProgram,
  places: PlacesRequest,
  { folder, wantsJson }: Action<"list">,
): Promise<readonly Line[]> {
  if (folder === null) {
    const all = await trainer.listCheckpoints(fileSystem, places);
    return wantsJson ? [jsonLine(checkpointsOutput.of({ checkpoints: all }))] : tableOf(all);
  }
  const run = resolve(places.folder, folder);
  await requireRun(fileSystem, run);
  const all = await readCheckpoints(fileSystem.within(run), run);
  if (wantsJson) {
    const checkpoints = usableCheckpoints(all, clock.now()).map(checkpointFields);
    return [jsonLine(runCheckpointsOutput.of({ folder: run, checkpoints }))];
  }
  const lines = checkpointLines(all, clock.now());
  return lines.length === 0 ? [[l10n.t("The run has no checkpoints.")]] : lines;
}

/** Not truncated, because addresses are meant to be copied. */
function tableOf(all: readonly StoredCheckpoint[]): readonly Line[] {
  if (all.length === 0) return [[l10n.t("There are no checkpoints.")]];
  const columns: readonly Column[] = [
    { title: l10n.t("address"), align: "left" },
    { title: l10n.t("place"), align: "left" },
    { title: l10n.t("saved"), align: "left" },
    { title: l10n.t("size"), align: "right" },
    { title: l10n.t("kept until"), align: "left" },
  ];
  const rows = all.map((each): readonly LinePiece[] => [
    visibleLine(each.path),
    placeText(each.place),
    minuteText(each.time),
    sizeText(each.sizeBytes),
    expiryText(each.expiresAt),
  ]);
  return tableLines(columns, rows, Number.POSITIVE_INFINITY);
}

async function infoLines(
  { fileSystem, trainer }: TrainerProgram,
  places: PlacesRequest,
  { path, wantsJson }: Action<"info">,
): Promise<readonly Line[]> {
  const found = await trainer.describeCheckpoint(fileSystem, { ...places, path });
  if (wantsJson) return [jsonLine(checkpointOutput.of(found))];
  const { baseModel, loraRank, isPublic, consoleUrl } = found;
  return [
    labelled(l10n.t("address"), visibleLine(found.path)),
    labelled(l10n.t("place"), placeText(found.place)),
    labelled(l10n.t("base model"), visibleLine(baseModel)),
    labelled(l10n.t("LoRA rank"), loraRank === null ? "–" : String(loraRank)),
    labelled(l10n.t("size"), sizeText(found.sizeBytes)),
    labelled(l10n.t("saved"), minuteText(found.time)),
    labelled(l10n.t("kept until"), expiryText(found.expiresAt)),
    labelled(l10n.t("public"), isPublic === true ? l10n.t("yes") : l10n.t("no")),
    ...(consoleUrl === null ? [] : [labelled(l10n.t("page"), consoleUrl)]),
  ];
}

async function change(
  { fileSystem, trainer, out }: TrainerProgram,
  places: PlacesRequest,
  { paths, name, change: wanted }: Action<"change">,
): Promise<void> {
  const [first = ""] = paths;
  const run = resolve(places.folder, first);
  if (name !== null) await requireRun(fileSystem, run);
  const request = { ...places, change: wanted };
  const changes =
    name === null
      ? trainer.changeCheckpoints(fileSystem, { ...request, paths })
      : trainer.changeInRun(fileSystem, { ...request, run, name });
  for await (const changed of changes) {
    out.print([[`${changeText(wanted, changed, places)}: ${visibleLine(changed.path)}`]]);
  }
}

function changeText(
  wanted: CheckpointChange,
  { place }: ChangedCheckpoint,
  { isLocalOnly }: Pick<PlacesRequest, "isLocalOnly">,
): string {
  if (place === null) return isLocalOnly ? l10n.t("not on this computer") : l10n.t("already gone");
  switch (wanted.action) {
    case "delete":
      return l10n.t("deleted from {0}", placeText(place));
    case "publish":
      return l10n.t("now public for everyone who knows the address");
    case "unpublish":
      return l10n.t("no longer public");
    case "set-ttl":
      return keptText(wanted.ttlSeconds);
  }
}

function keptText(ttlSeconds: number | null): string {
  if (ttlSeconds === null) return l10n.t("kept until it is deleted");
  const days = ttlSeconds / DAY_S;
  return Number.isInteger(days)
    ? plural(days, "kept for {0} day from now", "kept for {0} days from now")
    : plural(
        Math.round(ttlSeconds / 3600),
        "kept for {0} hour from now",
        "kept for {0} hours from now",
      );
}

function placeText(place: StoredCheckpoint["place"]): string {
  return place === "Tinker" ? place : l10n.t("this computer");
}

function sizeText(bytes: number | null): string {
  return bytes === null ? "–" : formatBytes(bytes);
}

function expiryText(time: string | null): string {
  return time === null ? l10n.t("it is deleted") : minuteText(time);
}
