/** Initial parameters of an adapter, and freezing of those that are not trained. */

import { createNormal } from "../random.ts";
import { type AdapterLayout, isAttention, PROJECTIONS, spanLength } from "./architecture.ts";
import type { TrainedProjections } from "./engine.ts";

/** A is normal with variance 1/input, B is zero; the rank padding stays zero permanently. */
export function initialParameters(layout: AdapterLayout, seed: number): Float32Array {
  const normal = createNormal(seed);
  const parameters = new Float32Array(layout.length);
  for (const layer of layout.layers) {
    for (const projection of PROJECTIONS) {
      const { a } = layer[projection];
      const scale = 1 / Math.sqrt(a.rows);
      for (let i = 0; i < a.rows; i++) {
        for (let j = 0; j < layout.rank; j++)
          parameters[a.offset + i * a.columns + j] = normal() * scale;
      }
    }
  }
  return parameters;
}

/** Clears the gradient of projections that are not trained. */
export function freeze(
  layout: AdapterLayout,
  { trainAttn, trainMlp }: TrainedProjections,
  gradient: Float32Array,
): void {
  for (const layer of layout.layers) {
    for (const projection of PROJECTIONS) {
      if (isAttention(projection) ? trainAttn : trainMlp) continue;
      for (const span of [layer[projection].a, layer[projection].b]) {
        gradient.fill(0, span.offset, span.offset + spanLength(span));
      }
    }
  }
}
