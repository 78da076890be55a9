import { describe, expect, it } from "vitest";
import { compileTemplate } from "../../src/core/chat/template/jinja.ts";

const doubled = (start: string, step: string, times: number): string =>
  `{% set ns = namespace(x=${start}) %}{% for i in range(${times}) %}{% set ns.x = ${step} %}{% endfor %}`;

describe("a chat template is given up before it takes much memory", () => {
  it.each([
    [
      "a list of one list twice, again and again",
      `${doubled("[1]", "[ns.x, ns.x]", 60)}{{ ns.x | tojson }}`,
    ],
    ["the same, printed", `${doubled("[1]", "[ns.x, ns.x]", 60)}{{ ns.x }}`],
    [
      "a namespace that holds another twice, again and again",
      `${Array.from({ length: 60 }, (_, i) => `{% set n${i + 1} = namespace(a=n${i}, b=n${i}) %}`).join("")}{{ n60.a | tojson }}`,
    ],
    [
      "numbers by the million",
      "{% set ns = namespace(l=[]) %}{% for i in range(30) %}{% set ns.l = ns.l + [range(100000)] %}{% endfor %}",
    ],
    [
      "a text with itself for each letter",
      `${doubled("'a'", "ns.x + ns.x", 16)}{{ ns.x | replace('a', ns.x) | length }}`,
    ],
    [
      "the same as a method",
      `${doubled("'a'", "ns.x + ns.x", 16)}{{ ns.x.replace('a', ns.x) | length }}`,
    ],
    [
      "a long text between numbers",
      `${doubled("'a'", "ns.x + ns.x", 14)}{{ range(99999) | join(ns.x) | length }}`,
    ],
    [
      "lines that are indented far",
      `${doubled("'a\n'", "ns.x + ns.x", 16)}{{ ns.x | indent(99999999, true) | length }}`,
    ],
    ["JSON that is indented far", "{{ range(9999) | list | tojson(indent=99999999) | length }}"],
  ])("%s", (_, source) => {
    expect(() => compileTemplate(source)({})).toThrow(/longer than|steps/);
  });

  it("and may do with texts and lists what templates do", () => {
    const tools = [{ name: "t".repeat(5_000), parameters: { a: { b: [1, 2] } } }];
    const render = (source: string): string => compileTemplate(source)({ tools });
    expect(render("{{ 'a{tools}b' | replace('{tools}', tools | tojson) | length }}")).toBe("5052");
    expect(render("{{ 'a-b-c'.replace('-', '+', 1) }}{{ 'abc' | replace('', '.') }}")).toBe(
      "a+b-c.a.b.c.",
    );
    expect(render("{{ 'a-b-c' | replace('-', '+', count=1) }}")).toBe("a+b-c");
    expect(render("{{ ['a', 'b'] | join('\\n\\n') }}{{ [1] | tojson(indent=2) }}")).toBe(
      "a\n\nb[\n  1\n]",
    );
  });
});
