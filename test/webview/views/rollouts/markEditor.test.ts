// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { MarkEditor } from "../../../../webview-ui/views/rollouts/markEditor.tsx";
import { aDashboard } from "../../dashboards.ts";
import { drawn, leave, typeInto } from "../../drawn.ts";

const KEY = { source: "training", step: 0, group: 0, rollout: 0 } as const;

it("a note stays while it is typed, and is stored when the field is left", () => {
  const { dashboard, commands } = aDashboard();
  const editor = (note: string, star = false) =>
    h(MarkEditor, {
      dashboard,
      rolloutKey: KEY,
      mark: { star, pin: false, tags: ["a"], note },
    });
  const { place, draw } = drawn(editor("old"));
  const field = place.querySelector("textarea");
  if (field === null) throw new Error("There is no note.");
  expect(field.value).toBe("old");
  typeInto(field, "half a no");
  draw(editor("old", true));
  expect([field.value, commands]).toEqual(["half a no", []]);
  leave(field);
  expect(commands).toEqual([{ key: KEY, mark: { note: "half a no" } }]);
  draw(editor("of another window"));
  expect(field.value).toBe("of another window");
});
