import { describe, expect, it } from "vitest";
import { compileTemplate } from "../../src/core/chat/template/jinja.ts";
import { createPromptTemplate } from "../../src/core/chat/template/promptTemplate.ts";
import { tinyModel } from "../core/chat/tinyModel.ts";

const MESSAGES = [{ role: "user", content: "Hi" }];

describe("a chat template that would go on for ages is given up", () => {
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

describe("a template may do", () => {
  it("all that a long conversation needs", () => {
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
