/** *Continue from Here* at a turn of a replay. */

import type { RolloutRow } from "../../../src/shared/dashboardTypes.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";
import { strings } from "../../strings/strings.ts";

const text = strings.replay;

interface ContinueProps {
  readonly dashboard: DashboardModel;
  /** Undefined for a rollout of an evaluation beside another. */
  readonly row: RolloutRow | undefined;
  /** From 0. */
  readonly turn: number;
}

/** Where it cannot be done it says why when it is pressed: a button that is off takes no focus. */
export function ContinueButton({ dashboard, row, turn }: ContinueProps) {
  const obstacle = obstacleOf(row);
  const press = (): void => {
    if (row === undefined || obstacle !== null) {
      dashboard.announcement.value = obstacle ?? "";
      return;
    }
    const { source, step, group, rollout } = row;
    dashboard.host.command("continueFromHere", { key: { source, step, group, rollout }, turn });
  };
  return (
    <button
      type="button"
      class="link continue"
      aria-disabled={obstacle !== null}
      title={obstacle ?? text.continueWhat}
      onClick={press}
    >
      {text.continueFromHere}
    </button>
  );
}

function obstacleOf(row: RolloutRow | undefined): string | null {
  if (row === undefined) return text.continueByItself;
  if (row.streams.length > 0) return null;
  return row.source === "evaluation" ? text.continueEvaluated : text.continueWithoutTokens;
}
