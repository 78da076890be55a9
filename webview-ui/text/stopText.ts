/** How a rollout ended, in words. */

import { strings } from "../strings/strings.ts";
import { visibleLine } from "./visible.ts";

export function stopText(stop: string): string {
  const shown = visibleLine(stop);
  return strings.trajectories.stops[shown] ?? shown.replaceAll("_", " ");
}
