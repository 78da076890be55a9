/** What views may read of a model without changing it. */

import type { ReadonlySignal, Signal } from "@preact/signals";

/** With signals that can only be read. */
export type Shown<Model> = {
  readonly [Key in keyof Model]: Model[Key] extends Signal<infer Value>
    ? ReadonlySignal<Value>
    : Model[Key];
};
