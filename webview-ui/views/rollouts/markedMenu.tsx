/** The marked rollouts of the whole run, and their export. */

import * as l10n from "@vscode/l10n";
import type { MarkedRollout } from "../../../src/shared/dashboardTypes.ts";
import { isMarked } from "../../../src/shared/marks.ts";
import { Menu } from "../../controls/menu.tsx";
import { rolloutTitle } from "../../controls/setTitle.ts";
import type { DashboardModel, DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import { visibleLine } from "../../text/visible.ts";

const text = strings.trajectories;
/** A longer menu would be unusable; the export has all of them. */
const MAX_LISTED = 30;
const MAX_TEXT = 60;

/** Renders nothing without marked rollouts. */
export function MarkedMenu({ dashboard }: DashboardProps) {
  const marked = [...dashboard.data.marks.value.values()].filter(({ mark }) => isMarked(mark));
  if (marked.length === 0) return null;
  const listed = marked.slice(-MAX_LISTED).toReversed();
  return (
    <Menu
      label={l10n.t("Marked rollouts")}
      icon="starFull"
      items={[
        ...listed.map((own) => ({
          label: labelOf(own),
          run: () => dashboard.openRollouts(own, own),
        })),
        { label: l10n.t("Export all marks as JSON…"), run: () => exportMarks(dashboard, marked) },
      ]}
    />
  );
}

function labelOf({ mark: { star, pin, tags, note }, ...key }: MarkedRollout): string {
  const said = [
    ...(pin ? [text.pinned] : []),
    ...(star ? [text.starred] : []),
    ...tags,
    ...(note === "" ? [] : [note]),
  ];
  return visibleLine(`${rolloutTitle(key)}: ${said.join(", ").slice(0, MAX_TEXT)}`);
}

function exportMarks({ host, data }: DashboardModel, marked: readonly MarkedRollout[]): void {
  const content = JSON.stringify({ run: data.run.value?.name ?? "", rollouts: marked }, null, 2);
  host.command("exportFile", { file: { name: "marks.json", content, encoding: "utf8" } });
}
