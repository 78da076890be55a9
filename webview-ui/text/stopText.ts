/** Says how a rollout ended. */

import { strings } from "../strings/strings.ts";
import { visibleLine } from "./visible.ts";

export function stopText(stop: string): string {
  const shown = visibleLine(stop);
  const { stops } = strings.trajectories;
  // A run folder from elsewhere may contain the name of a built-in property.
  const known = Object.hasOwn(stops, shown) ? stops[shown] : undefined;
  return known ?? shown.replaceAll("_", " ");
}
