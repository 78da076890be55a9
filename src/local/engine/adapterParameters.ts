/** The parameters of an adapter as it begins, and those that are not trained. */

import { createNormal } from "../random.ts";
import { type AdapterLayout, isAttention, PROJECTIONS, spanLength } from "./architecture.ts";
import type { TrainedProjections } from "./engine.ts";

/** A from a normal distribution with variance 1/input, B zero; the padding of the rank stays zero for good. */
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

/** Clears the gradient of projections that the adapter does not train. */
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
