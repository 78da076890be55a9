/** Says which alarm's rollouts alone are listed, and lists all again. */

import * as l10n from "@vscode/l10n";
import { formatCount } from "../../../src/shared/format.ts";
import { Button } from "../../controls/button.tsx";
import { Icon } from "../../controls/icon.tsx";
import type { DashboardProps } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";
import type { FoundRollouts } from "./useFoundRollouts.ts";

interface AlarmFilterProps extends DashboardProps {
  readonly search: FoundRollouts;
}

export function AlarmFilter({ dashboard, search }: AlarmFilterProps) {
  const { alarmFilter } = dashboard.view.value;
  if (alarmFilter === null) return null;
  return (
    <p class="alarm-filter row" aria-busy={!search.isComplete}>
      <Icon name="warning" />
      <span>
        {l10n.t(
          "Only rollouts that triggered the alarm “{0}”: {1}",
          alarmFilter.title,
          formatCount(search.found.size),
        )}
      </span>
      <Button
        class="link"
        label={strings.showAll}
        onClick={() => dashboard.update({ alarmFilter: null })}
      />
    </p>
  );
}
