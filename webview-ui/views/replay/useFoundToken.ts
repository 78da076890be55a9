/** The token that a search has led to. */

import { useEffect, useState } from "preact/hooks";
import type { TokenPlace } from "../../../src/shared/dashboardTypes.ts";
import { type RolloutKey, rolloutKeyName } from "../../../src/shared/rolloutSet.ts";
import type { DashboardModel } from "../../model/dashboardModel.ts";

/** `show` is called with it once it is known. Where there are no tokens to open the place at, the text is shown instead. */
export function useFoundToken(
  dashboard: DashboardModel,
  { source, step, group, rollout }: RolloutKey,
  isListed: boolean,
): TokenPlace | null {
  const [place, setPlace] = useState<TokenPlace | null>(null);
  const found = dashboard.found.value;
  const key = { source, step, group, rollout };
  const isOwn =
    isListed &&
    found?.rollout === rolloutKeyName(key) &&
    found.run === dashboard.data.run.value?.id;
  useEffect(() => {
    if (!isOwn || found === null) return;
    const { snippet, isAmongTokens } = found;
    return dashboard.host.ask({ ask: "found-token", key, snippet }, (answer) => {
      const token = answer.kind === "found-token" ? answer.place : null;
      dashboard.found.value = null;
      setPlace(token);
      if (token === null && isAmongTokens) dashboard.update({ replayMode: "markdown" });
    });
  }, [dashboard, found, isOwn]);
  return place;
}
