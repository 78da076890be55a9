import { expect, test } from "vitest";
import type { InitialMessage, ToolDeclaration } from "../../../../src/core/chat/renderer.ts";
import { cachePrompts } from "../../../../src/core/chat/setup/promptCache.ts";
import { type ExactJson, ExactNumber } from "../../../../src/core/util/exactJson.ts";

function counting(maxChars?: number) {
  const rendered: string[] = [];
  const render = cachePrompts((messages) => {
    const text = messages.map(({ content }) => content).join("");
    rendered.push(text);
    return [text.length];
  }, maxChars);
  return { rendered, render };
}

const user = (content: string): readonly InitialMessage[] => [{ role: "user", content }];

const tool = (name: string): ToolDeclaration => ({
  type: "function",
  function: { name, description: "", parameters: {} },
});

test("a prompt is rendered once, however often it is requested", () => {
  const { rendered, render } = counting();
  for (const text of ["first", "second", "first", "second"]) {
    expect(render(user(text), [])).toEqual([text.length]);
  }
  expect(rendered).toEqual(["first", "second"]);
});

test("everything that affects a prompt is part of its key", () => {
  const { rendered, render } = counting();
  render(user("text"), []);
  render(user("text"), [tool("look")]);
  render(user("text"), [tool("move")]);
  render([{ role: "system", content: "text" }], []);
  render([{ role: "system", content: "text", trusted: [[0, 4]] }], []);
  expect(rendered).toHaveLength(5);
});

test("an argument that is an exact number differs from an object that looks like it", () => {
  const { rendered, render } = counting();
  const called = (x: ExactJson): InitialMessage => ({
    role: "assistant",
    content: "",
    reasoning: null,
    calls: [{ id: "call_0", name: "add", args: { x, y: null } }],
  });
  render([called(new ExactNumber("1.0"))], []);
  render([called({ text: "1.0" })], []);
  render([called(new ExactNumber("1.0"))], []);
  expect(rendered).toHaveLength(2);
});

test("the least recently used prompts are evicted when there are too many", () => {
  const { rendered, render } = counting(90);
  for (const text of ["a", "b", "a", "c", "a", "b"]) render(user(text), []);
  expect(rendered).toEqual(["a", "b", "c", "b"]);
});
