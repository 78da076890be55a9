/** Alarms on a terminal: observation, meaning, and settings to try. */

import * as l10n from "@vscode/l10n";
import type { AlarmNotice } from "../../core/alarms/evaluateAlarms.ts";
import { editSetting, editsChange, editText } from "../../core/alarms/formatSettingChange.ts";
import { commandLine, type Invocation, shortPath } from "./invocation.ts";
import { type Line, type LinePiece, type Style, styled } from "./line.ts";

const STYLES: Readonly<Record<AlarmNotice["severity"], Style>> = {
  info: "quiet",
  warning: "warning",
  critical: "bad",
};
/** As wide as an alarm's label. */
export const INDENT = "       ";

/** `folder` is the run's; null if unknown. */
export function alarmLines(
  notice: Omit<AlarmNotice, "id">,
  folder: string | null,
  invocation: Invocation,
): readonly Line[] {
  const label = notice.severity === "info" ? l10n.t("note:") : l10n.t("alarm:");
  return [
    [styled(STYLES[notice.severity], `${label} `.padEnd(INDENT.length)), notice.seen],
    ...(notice.meaning === "" ? [] : [[INDENT, styled("quiet", notice.meaning)]]),
    ...remedyLines(notice, folder, invocation),
  ];
}

export function alarmOverLine(title: string): Line {
  return [styled("good", `${l10n.t("resolved:")} `.padEnd(INDENT.length)), title.toLowerCase()];
}

function remedyLines(
  { edits }: Pick<AlarmNotice, "edits">,
  folder: string | null,
  invocation: Invocation,
): readonly Line[] {
  if (edits.length === 0) return [];
  const change = editsChange(edits);
  const when = {
    tunable: [],
    fixed: [", ", l10n.t("when the run is resumed")],
    identity: [", ", l10n.t("in a new run")],
  };
  const text: LinePiece = styled("accent", edits.map(editText).join(", "));
  const lines: Line[] = [[INDENT, l10n.t("try"), " ", text, ...when[change]]];
  if (change === "tunable" && folder !== null && invocation.program !== null) {
    const words = ["control", shortPath(folder, invocation.cwd), "set", ...edits.map(editSetting)];
    lines.push([INDENT, styled("quiet", l10n.t("now: {0}", commandLine(invocation, ...words)))]);
  }
  return lines;
}
