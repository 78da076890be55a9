/** How a rollout ended, in words. */

import { strings } from "../strings/strings.ts";
import { visibleLine } from "./visible.ts";

export function stopText(stop: string): string {
  const shown = visibleLine(stop);
  const { stops } = strings.trajectories;
  // A folder that someone sends can name a part of every object.
  const known = Object.hasOwn(stops, shown) ? stops[shown] : undefined;
  return known ?? shown.replaceAll("_", " ");
}
