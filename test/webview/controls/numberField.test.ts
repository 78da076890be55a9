// @vitest-environment happy-dom

import { h } from "preact";
import { expect, it } from "vitest";
import { NumberInput } from "../../../webview-ui/controls/numberField.tsx";
import { drawn, leave, typeInto } from "../drawn.ts";

function aField(commitsOnBlur: boolean) {
  const set: (number | null)[] = [];
  const input = (value: number | null) =>
    h(NumberInput, {
      value,
      min: 1,
      step: "any",
      commitsOnBlur,
      set: (next) => void set.push(next),
    });
  const { place, draw } = drawn(input(4));
  const field = place.querySelector("input");
  if (field === null) throw new Error("There is no input.");
  return { field, set, get: (value: number | null) => draw(input(value)) };
}

it("sets each number that is typed, and keeps its spelling", () => {
  const { field, set, get } = aField(false);
  typeInto(field, "2.50");
  get(2.5);
  expect(set).toEqual([2.5]);
  expect(field.value).toBe("2.50");
  typeInto(field, "");
  get(null);
  expect(set).toEqual([2.5, null]);
});

it("shows another number that arrives in the meantime", () => {
  const { field, get } = aField(false);
  typeInto(field, "2");
  get(2);
  get(7);
  expect(field.value).toBe("7");
});

it("ignores an invalid number, and shows the last one again when it is left", () => {
  const { field, set } = aField(false);
  typeInto(field, "0");
  expect([field.value, set]).toEqual(["0", []]);
  leave(field);
  expect([field.value, set]).toEqual(["4", []]);
});

it("sets a number only when it is left, if each change is expensive", () => {
  const { field, set, get } = aField(true);
  typeInto(field, "12");
  get(4);
  expect([field.value, set]).toEqual(["12", []]);
  leave(field);
  expect([field.value, set]).toEqual(["12", [12]]);
});
