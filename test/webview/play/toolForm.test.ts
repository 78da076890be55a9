// @vitest-environment happy-dom

import { h } from "preact";
import { act } from "preact/test-utils";
import { expect, it } from "vitest";
import { ToolForm } from "../../../webview-ui/play/toolForm.tsx";
import { drawn, typeInto } from "../drawn.ts";

/** The form of a tool with these optional arguments. */
function aForm(properties: Record<string, unknown>) {
  const sent: string[] = [];
  const { place } = drawn(
    h(ToolForm, {
      tool: { name: "move", description: "", schema: { type: "object", properties } },
      isEnabled: true,
      send: (args) => void sent.push(args),
    }),
  );
  const there = <Found extends Element>(found: Found | null): Found => {
    if (found === null) throw new Error("The field is not there.");
    return found;
  };
  const click = (selector: string): void =>
    void act(() => there(place.querySelector<HTMLElement>(selector)).click());
  return {
    tick: () => click(".check input"),
    add: () => click("button.secondary"),
    removeFirst: () => click("button[aria-label^=Remove]"),
    texts: () => [...place.querySelectorAll("textarea")],
    send: () => {
      click("button.primary");
      return sent.at(-1);
    },
    json: () => there(place.querySelector("textarea")),
    number: () => there(place.querySelector<HTMLInputElement>("input[type=number]")),
  };
}

it("an optional argument that is checked but empty blocks the call", () => {
  const { tick, send, json } = aForm({ extra: {} });
  tick();
  expect(json().value).toBe("");
  expect(send()).toBeUndefined();
});

it("a field stays while its input is not valid yet", () => {
  const { tick, send, json } = aForm({ extra: {} });
  tick();
  typeInto(json(), '{"a": ');
  expect(json().value).toBe('{"a": ');
  typeInto(json(), '{"a": 1}');
  expect(send()).toBe('{"extra":{"a":1}}');
  tick();
  expect(send()).toBe("{}");
});

it("an optional number starts empty, and must be filled in", () => {
  const { tick, send, number } = aForm({ limit: { type: "number" } });
  tick();
  expect([number().value, number().required]).toEqual(["", true]);
  typeInto(number(), "2.5");
  typeInto(number(), "");
  expect(number().validity.valid).toBe(false);
  typeInto(number(), "3");
  expect(send()).toBe('{"limit":3}');
});

it("an item of a list keeps its text when another is removed", () => {
  const { tick, add, removeFirst, texts, send } = aForm({
    rows: { type: "array", items: { type: "object" } },
  });
  tick();
  add();
  add();
  for (const [index, text] of ['{"a":1}', '{"b":2}'].entries()) {
    const area = texts()[index] ?? expect.unreachable("Each item has a field.");
    typeInto(area, text);
  }
  removeFirst();
  expect(texts().map(({ value }) => value)).toEqual(['{"b":2}']);
  expect(send()).toBe('{"rows":[{"b":2}]}');
  add();
  expect(texts().map(({ value }) => value)).toEqual(['{"b":2}', ""]);
});
