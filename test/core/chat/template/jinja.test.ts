import { describe, expect, it } from "vitest";
import { compileTemplate } from "../../../../src/core/chat/template/jinja.ts";

const render = (source: string, variables = {}) => compileTemplate(source)(variables);

describe("templates behave as in Python", () => {
  it.each([
    ["{{ x.strip('\\n') }}|", { x: "\n a \n" }, " a |"],
    ["{{ x.lstrip('\\n') }}|", { x: "\n a\n" }, " a\n|"],
    ["{{ x.rstrip('ab') }}|", { x: " cab" }, " c|"],
    ["{{ x.strip() }}|", { x: " a " }, "a|"],
    ["{{ x | trim }}|", { x: null }, "None|"],
    ["{{ y | trim }}|", {}, "|"],
    ["{{ x | trim('.') }}|", { x: ".a." }, "a|"],
    ["{{ x | string }}", { x: null }, "None"],
    ["{{ x | string }}|{{ y | string }}", { x: true }, "True|"],
    [
      "{{ x | string }}",
      { x: ["a", "it's", "\n", null, false, 2, { k: ["v"] }] },
      "['a', \"it's\", '\\n', None, False, 2, {'k': ['v']}]",
    ],
    [
      "{{ x | join(', ') }}|{{ x | join }}|{{ y | join('-') }}",
      { x: { b: 1, a: 2 }, y: [1, 2] },
      "b, a|ba|1-2",
    ],
    ["{% for k in [x] %}{{ k.split('/')[0].rstrip('\\n') }}{% endfor %}", { x: " a\n/b" }, " a"],
    ["{{ x }}|{{ true }}|{{ y }}|{{ 2.0 }}", { x: null }, "None|True||2.0"],
    ["{{ x[y] is defined }}", { x: { a: 1 } }, "False"],
    ["{% for k, v in x.none | items %}{{ k }}{% endfor %}|", { x: {} }, "|"],
    ["{{ x.items() | length }}{{ x['items'] }}", { x: { items: "i" } }, "1i"],
    ["{{ x == y }}|{{ '' == 0 }}|{{ [1] == [1] }}", { x: null }, "False|False|True"],
    ["{{ x | length }}{{ x[0] }}", { x: "😀a" }, "2😀"],
    ["{{ x ~ 1 ~ y }}|{{ none in [1] }}", { x: null }, "None1|False"],
    ["{% for a in [1, 2] %}{{ b }}{% set b = a %}{% endfor %}{{ b }}|", {}, "|"],
    ["{% for a in y %}x{% endfor %}{{ y is iterable }}{{ y | length }}", {}, "True0"],
    ["{{ {'a': x.strip('-')} | tojson }}", { x: "-a-" }, '{"a": "a"}'],
  ])("%s", (source, variables, expected) => {
    expect(render(source, variables)).toBe(expected);
  });

  it.each([
    ["{{ y.a }}", "y is undefined"],
    ["{{ [][0].role }}", "is undefined"],
    ["{{ 'a' + {} }}", "cannot be joined"],
    ["{{ y | tojson }}", "JSON"],
    ["{{ none.strip('a') }}", "strip"],
  ])("%s is refused, as Python refuses it", (source, message) => {
    expect(() => render(source)).toThrow(message);
  });

  it("reads templates with Windows line ends", () => {
    expect(render("{% if true %}\r\na\r\n{% endif %}\r\nb")).toBe("a\nb");
  });

  it("refuses a template that prints today's date", () => {
    expect(() => render("{{ strftime_now('%d %b %Y') }}")).toThrow("today's date");
  });
});
