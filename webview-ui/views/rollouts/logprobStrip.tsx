/** The log-probabilities along a rollout as a strip of cells: the darker, the less likely. */

import { strings } from "../../strings/strings.ts";

/** Log-probability of the strongest colour: a chance of 5 %. */
const LOWEST = -3;

export function LogprobStrip({ strip }: { readonly strip: Float32Array | null }) {
  if (strip === null || strip.length === 0) return null;
  const [low, high] = [Math.min(...strip), Math.max(...strip)].map((value) => value.toFixed(2));
  const label = strings.trajectories.stripLabel(low ?? "", high ?? "");
  return (
    <svg
      class="logprob-strip"
      viewBox={`0 0 ${strip.length} 10`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <title>{label}</title>
      {[...strip].map((value, at) => (
        <rect
          key={at}
          x={at}
          width={1}
          {...heightOf(value)}
          fill-opacity={0.25 + 0.75 * shareOf(value)}
        />
      ))}
    </svg>
  );
}

function shareOf(logprob: number): number {
  return Math.min(1, Math.max(0, logprob / LOWEST));
}

/** Not by colour alone: unlikely cells are taller. */
function heightOf(logprob: number): { readonly y: number; readonly height: number } {
  const height = 2 + 8 * shareOf(logprob);
  return { y: 10 - height, height };
}
