/** Dragging: reordering by drag and drop, and moving an edge with the pointer. */

/** `keys` with `key` moved to the position of `target`; unchanged if either is missing. */
export function movedTo(keys: readonly string[], key: string, target: string): readonly string[] {
  const at = keys.indexOf(target);
  if (at < 0 || !keys.includes(key)) return keys;
  const others = keys.filter((other) => other !== key);
  return [...others.slice(0, at), key, ...others.slice(at)];
}

/** Properties of a draggable element. It can only be dropped on elements of the same `kind`. */
export function dragged(kind: string, key: string) {
  return {
    draggable: true,
    onDragStart: (event: DragEvent) => event.dataTransfer?.setData(typeOf(kind), key),
  };
}

/** Properties of a drop target. */
export function dropPlace(kind: string, drop: (key: string) => void) {
  return {
    onDragOver: (event: DragEvent) => {
      if (event.dataTransfer?.types.includes(typeOf(kind))) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      const key = event.dataTransfer?.getData(typeOf(kind)) ?? "";
      if (key === "") return;
      event.preventDefault();
      drop(key);
    },
  };
}

function typeOf(kind: string): string {
  return `application/x-tinker-rl-${kind}`;
}

/** Calls `moved` while the pointer drags the pressed edge. */
export function followPointer(
  { currentTarget, pointerId }: PointerEvent,
  moved: (event: PointerEvent) => void,
): void {
  const edge = currentTarget as Element; // what was pressed
  edge.setPointerCapture(pointerId);
  const drag = (event: Event): void => {
    if (event instanceof PointerEvent) moved(event);
  };
  edge.addEventListener("pointermove", drag);
  const end = (): void => edge.removeEventListener("pointermove", drag);
  edge.addEventListener("lostpointercapture", end, { once: true });
}
