import { expect, it } from "vitest";
import { placeLayer } from "../../../webview-ui/controls/placeLayer.ts";

const PAGE = { width: 800, height: 600 };
const LIST = { width: 200, height: 240 };
const button = (left: number, top: number) => ({ left, top, width: 24, height: 24 });

it("a list opens aligned below its button, and above it if there is no room below", () => {
  expect(placeLayer(button(700, 100), LIST, PAGE, "right")).toMatchObject({ left: 524, top: 126 });
  expect(placeLayer(button(700, 560), LIST, PAGE, "right")).toMatchObject({ left: 524, top: 318 });
  expect(placeLayer(button(100, 100), LIST, PAGE, "left")).toMatchObject({ left: 100, top: 126 });
});

it("a list stays within the page on all sides", () => {
  expect(placeLayer(button(10, 100), LIST, PAGE, "right").left).toBe(4);
  expect(placeLayer(button(790, 100), LIST, PAGE, "left").left).toBe(596);
  expect(placeLayer(button(10, 100), { width: 900, height: 10 }, PAGE, "left").left).toBe(4);
});

it("a list that is too long for both sides uses the larger one and scrolls", () => {
  const long = { width: 200, height: 900 };
  expect(placeLayer(button(400, 400), long, PAGE, "right")).toMatchObject({
    top: 4,
    maxHeight: 394,
  });
  expect(placeLayer(button(400, 100), long, PAGE, "right")).toMatchObject({
    top: 126,
    maxHeight: 470,
  });
});
