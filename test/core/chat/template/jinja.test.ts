import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compileTemplate } from "../../../../src/core/chat/template/jinja.ts";
import { createPromptTemplate } from "../../../../src/core/chat/template/promptTemplate.ts";
import { tinyModel } from "../tinyModel.ts";

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

  it("reads templates with Windows line endings", () => {
    expect(render("{% if true %}\r\na\r\n{% endif %}\r\nb")).toBe("a\nb");
  });

  it("refuses a template that prints today's date", () => {
    expect(() => render("{{ strftime_now('%d %b %Y') }}")).toThrow("today's date");
  });
});

const MESSAGES = [{ role: "user", content: "Hi" }];

describe("a chat template that would run too long is aborted", () => {
  it.each([
    ["a long range", "{% for i in range(10 ** 9) %}{% endfor %}"],
    ["a range that is only counted", "{{ range(10 ** 9) | length }}"],
    ["a range backwards in small steps", "{% for i in range(1, 0, -0.0000001) %}x{% endfor %}"],
    [
      "loops within loops",
      "{% for i in range(9999) %}{% for i in range(9999) %}{% endfor %}{% endfor %}",
    ],
    [
      "loops that are left at once",
      "{% set r = range(99999) %}{% for i in r %}{% for j in r %}{% break %}{% endfor %}{% endfor %}",
    ],
    [
      "a condition on a long list",
      "{% set r = range(99999) %}{% for i in r %}{% for j in r if j < 0 %}{% endfor %}{% endfor %}",
    ],
    ["a macro that calls itself", "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}"],
    [
      "a macro that calls itself twice",
      "{% macro f(n) %}{% if n > 0 %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(60) }}",
    ],
    [
      "text that doubles",
      "{% set ns = namespace(x='ab') %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x }}",
    ],
    [
      "a list that doubles",
      "{% set ns = namespace(x=[1, 2]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x | length }}",
    ],
    [
      "a long block that is called again and again",
      `{% macro f() %}{% endmacro %}{% for i in range(99999) %}{% call f() %}{% if false %}${"{{ a }}".repeat(7_000)}{% endif %}{% endcall %}{% endfor %}`,
    ],
    ["blanks without end", " \n".repeat(300_000)],
    [
      "a long list that is searched again and again",
      "{% set r = range(99999) %}{% for i in r %}{{ -1 in r }}{% endfor %}",
    ],
  ])("%s", (_, source) => {
    expect(() => compileTemplate(source)({})).toThrow(/steps|100,000|without end|longer than/);
  });

  it("with an error that names the tokenizer and says what to do", () => {
    const model = tinyModel("{% for i in range(10 ** 9) %}{% endfor %}");
    const named = {
      ...model,
      origin: {
        name: "someone/looping",
        source: "hub",
        revision: null,
        tokenizerSha256: "",
        templateSha256: null,
      },
    };
    const template = createPromptTemplate({ model: named, thinking: false });
    expect(() => template.render({ messages: MESSAGES })).toThrow(
      expect.objectContaining({
        code: "chat-render",
        message: expect.stringMatching(
          /chat template of someone\/looping failed: .*tokenizer_name/s,
        ),
      }),
    );
  });
});

describe("a template may use", () => {
  it("everything that a long conversation needs", () => {
    const messages = Array.from({ length: 3000 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: `${i} `.repeat(200),
    }));
    const source =
      "{% set n = messages | selectattr('role', 'equalto', 'user') | list | length %}{% for m in messages %}" +
      "{% if m.role == 'user' and not loop.last %}<u>{{ m.content | trim }}</u>{% else %}" +
      "<a>{{ m['content'].split('</think>')[-1].lstrip('\\n') }}</a>{% endif %}{% endfor %}";
    const rendered = compileTemplate(source)({ messages });
    expect(rendered.length).toBeGreaterThan(2_000_000);
    expect(rendered).toMatch(/^<u>0 0 .* 2999 <\/a>$/s);
  });

  it("a range as long as Python's sandbox allows", () => {
    expect(compileTemplate("{{ range(100000) | length }}{{ range(5, 1, -2) | list }}")({})).toBe(
      "100000[5, 3]",
    );
  });
});

const doubled = (start: string, step: string, times: number): string =>
  `{% set ns = namespace(x=${start}) %}{% for i in range(${times}) %}{% set ns.x = ${step} %}{% endfor %}`;

describe("a chat template is aborted before it uses much memory", () => {
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

  it("but ordinary operations on texts and lists are allowed", () => {
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

describe("the template of the embedded model", () => {
  it.each([{}, { content: null }])("renders a message that only makes calls: %j", (content) => {
    const source = readFileSync("src/local/engine/model/chat_template.jinja", "utf8");
    const call = { function: { name: "calc", arguments: '{"expr": "2*3"}' } };
    const messages = [{ role: "assistant", ...content, tool_calls: [call] }];
    expect(render(source, { messages })).toBe(
      '<|im_start|>assistant\n<tool_call>\n{"name": "calc", "arguments": {"expr": "2*3"}}\n</tool_call><|im_end|>\n',
    );
  });
});
