/** A component in a separate page. */

import { type ComponentChild, render } from "preact";
import { act } from "preact/test-utils";

export interface Drawn {
  readonly place: HTMLElement;
  /** Draws the element in place of the previous one. */
  draw(element: ComponentChild): void;
}

/** Effects have run when this returns, and after each `draw`. */
export function drawn(element: ComponentChild): Drawn {
  const place = document.createElement("div");
  document.body.replaceChildren(place);
  const draw = (next: ComponentChild): void => void act(() => render(next, place));
  draw(element);
  return { place, draw };
}

/** Types into a field without leaving it. */
export function typeInto(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  void act(() => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

/** Leaves a field after typing. */
export function leave(field: HTMLElement): void {
  void act(() => {
    field.dispatchEvent(new Event("change", { bubbles: true }));
    field.dispatchEvent(new FocusEvent("blur"));
  });
}
