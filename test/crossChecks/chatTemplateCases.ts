/** Conversations, tools and expressions that template engines render differently. */

type Variables = Readonly<Record<string, unknown>>;

const text = 'Zürich? <b>"now"</b> & it\'s 你好 😀\n  two\tlines\n';

const tool = (
  name: string,
  parameters: object,
  description: string | null = "Does it.",
): object => ({
  type: "function",
  function: { name, ...(description === null ? {} : { description }), parameters },
});
const withProperties = (properties: object, more: object = {}): object => ({
  type: "object",
  properties,
  ...more,
});

const METHOD_NAMES = "items keys values get type properties required description pop name update";

/** Parameters as declared by pydantic and by hand-written servers. */
const PARAMETERS: Readonly<Record<string, object>> = {
  plain: withProperties(
    { city: { type: "string", description: text }, days: { type: "integer", default: 3 } },
    { required: ["city"] },
  ),
  noType: withProperties({ any: { description: "Whatever it is." }, bare: {} }),
  anyOf: withProperties({
    a: { anyOf: [{ type: "string" }, { type: "null" }], default: null, title: "A" },
    b: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "integer" }] },
  }),
  typeList: withProperties({ a: { type: ["string", "null"], description: "Text or nothing." } }),
  references: {
    $defs: { Point: withProperties({ x: { type: "number", default: 0.5 } }) },
    ...withProperties({
      at: { $ref: "#/$defs/Point" },
      also: { allOf: [{ $ref: "#/$defs/Point" }] },
    }),
  },
  noProperties: { type: "object" },
  empty: {},
  noTypeAtAll: { properties: { x: { type: "string" } } },
  emptyProperties: withProperties({}, { required: [] }),
  enums: withProperties({
    a: { enum: ["x", "y", 1, 2.5, null, true] },
    b: { type: "string", enum: ["one"] },
    c: { const: "c" },
    d: { type: "string", enum: [] },
  }),
  nested: withProperties({
    list: { type: "array", items: { type: "array", items: { type: "object" } } },
    record: withProperties(
      { inner: withProperties({ deep: { type: "boolean", default: false } }) },
      { additionalProperties: { type: "string" }, required: ["inner"] },
    ),
    tuple: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    arrayOfObjects: { type: "array", items: withProperties({ k: { type: "string" } }) },
    noItems: { type: "array" },
    union: { oneOf: [{ type: "string" }, withProperties({ z: {} })] },
  }),
  numbers: withProperties({
    x: {
      type: "number",
      minimum: -0.25,
      maximum: 1.5,
      default: 2.5,
      multipleOf: 0.5,
      examples: [1, 2.5, "a"],
    },
  }),
  nullable: withProperties({ n: { type: "string", nullable: true, format: "date", minLength: 0 } }),
  methodNames: withProperties(
    Object.fromEntries(METHOD_NAMES.split(" ").map((name) => [name, { type: "string" }])),
  ),
  nullDescription: withProperties({ n: { type: "string", description: null } }),
};

const TOOLS: Readonly<Record<string, readonly object[]>> = {
  ...Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, schema]) => [name, [tool(name, schema)]]),
  ),
  noDescription: [tool("noDescription", PARAMETERS["plain"] ?? {}, null)],
  emptyDescription: [tool("emptyDescription", PARAMETERS["plain"] ?? {}, "")],
  several: Object.entries(PARAMETERS).map(([name, schema]) => tool(name, schema, text)),
};

const user = (content: string): object => ({ role: "user", content });
const system = (content: string): object => ({ role: "system", content });
const call = (args: object | string, id = "call_0"): object => ({
  id,
  type: "function",
  function: { name: "plain", arguments: args },
});
const calling = (content: string | null, calls: readonly object[], more: object = {}): object => ({
  role: "assistant",
  content,
  tool_calls: calls,
  ...more,
});
const result = (content: string | null, id = "call_0"): object => ({
  role: "tool",
  content,
  name: "plain",
  tool_call_id: id,
});
const ARGS = {
  city: text,
  days: 3,
  flag: true,
  nothing: null,
  list: [1, "two", [null, false], { k: "v" }],
  record: { a: { b: [] }, "it's": "\"q\" 'q'" },
  empty: "",
  items: ["i"],
  keys: "k",
};

const TALKS: Readonly<Record<string, readonly object[]>> = {
  user: [user(text)],
  emptyUser: [user("")],
  systemUser: [system(text), user("q")],
  emptySystem: [system(""), user("q")],
  turns: [system("s"), user("q"), { role: "assistant", content: text }, user(text)],
  emptyTurn: [user("q"), { role: "assistant", content: "" }, user("r")],
  nullTurn: [user("q"), { role: "assistant", content: null }, user("r")],
  call: [user("q"), calling("", [call(ARGS)]), result(text)],
  callText: [user("q"), calling("", [call(JSON.stringify(ARGS))]), result(text)],
  callNull: [user("q"), calling(null, [call({})]), result("")],
  callNoArguments: [user("q"), calling("I call.", [call({})]), result("ok"), user("and?")],
  callOpen: [system("s"), user("q"), calling("x", [call(ARGS)])],
  twoCalls: [
    user("q"),
    calling("Two.", [call({ city: "a" }), call({ days: 1 }, "call_1")]),
    result("1"),
    result("2", "call_1"),
    { role: "assistant", content: "done" },
    user("more"),
  ],
  noCalls: [user("q"), calling("plain", []), user("r")],
  nullCalls: [user("q"), { role: "assistant", content: "a", tool_calls: null }, user("r")],
  nullResult: [user("q"), calling("", [call({ city: "a" })]), result(null)],
  reasoning: [
    user("q"),
    { role: "assistant", content: "a", reasoning_content: `\n${text}` },
    user("r"),
    calling("", [call({ city: "a" })], { reasoning_content: "Because." }),
    result("x"),
  ],
  emptyReasoning: [
    user("q"),
    { role: "assistant", content: "a", reasoning_content: "" },
    user("r"),
  ],
  nullReasoning: [
    user("q"),
    { role: "assistant", content: "a", reasoning_content: null },
    user("r"),
  ],
  inlineReasoning: [
    user("q"),
    { role: "assistant", content: "<think>\nWhy.\n</think>\n\na" },
    user("r"),
    calling("<think>\nWhy.\n</think>\n\n", [call({ city: "a" })]),
    result("x"),
  ],
  thinking: [user("q"), { role: "assistant", content: "a", thinking: "Why." }, user("r")],
  noMessages: [],
  onlySystem: [system("s")],
  lateSystem: [user("q"), system("s"), user("r")],
  twoUsers: [user("a"), user("b")],
  resultFirst: [result("x"), user("q")],
  noContent: [user("q"), { role: "assistant", tool_calls: [call({ city: "a" })] }, result("x")],
  unknownRole: [{ role: "critic", content: "x" }],
};

const SETTINGS: Readonly<Record<string, Variables>> = {
  open: { add_generation_prompt: true, enable_thinking: true, thinking: true },
  openPlain: { add_generation_prompt: true, enable_thinking: false, thinking: false },
  closed: { add_generation_prompt: false, reasoning_effort: "low" },
};
const TOKENS = { bos_token: "<BOS>", eos_token: "<EOS>" };

/** Every conversation with no tools and with one; every list of tools with a conversation with calls; each in all settings. */
export const CONVERSATIONS: Readonly<Record<string, Variables>> = Object.fromEntries(
  Object.entries(SETTINGS).flatMap(([setting, variables]) => [
    ...Object.entries(TALKS).flatMap(([name, messages]) =>
      [null, [], TOOLS["plain"] ?? []].map((tools) => [
        `${name}, ${tools === null ? "null" : tools.length} tools, ${setting}`,
        { messages, tools, ...TOKENS, ...variables },
      ]),
    ),
    ...Object.entries(TOOLS).map(([name, tools]) => [
      `tools ${name}, ${setting}`,
      { messages: TALKS["call"], tools, ...TOKENS, ...variables },
    ]),
  ]),
);

/** Separated by semicolons. */
const EXPRESSIONS = [
  "n;t;f;i;x;L;D;u;s;n ~ s;t ~ 1.5;u ~ 'a';s + i;i + s;s + n;s + u;u + s;L + L;i + 2;x * 2;i / 2;i // 2;-i",
  "n == u;u == u;n == none;'' == 0;t == 1;'1' == 1;L == L;[1] == [1];{'a': 1} == {'a': 1};[] == '';s != n",
  "n in L;i in L;s in L;u in L;n in D;u in D;n in s;u in s;'k' in D;'é' in s;i in u;i in n;'1' in L;s not in L",
  "u.a;n.a;n['a'];D.a;D[u];D[n];D[i];L[u];L[0];L[9];L[-1];s[0];s[-1];s[u];D.none.a;D.none;D['items'];D.items() | length",
  "D['keys'];D.keys() | list;D.get('k');D.get('zz');D.get('zz', 1);s.length;L.length;s[1:3];u[0]",
  "u | items | list;u | length;n | length;s | length;L | length;D | length;u | list;s | list;D | list;n | list",
  "u | trim;n | trim;i | trim;L | trim;u | upper;n | upper;s | capitalize;u | first;L | first;[] | first;[] | last;D | first",
  "L | join;L | join(', ');D | join('-');s | join('-');u | join;n | join;L | string;n | string;u | string;x | string",
  "u | default('d');n | default('d');n | default('d', true);'' | default('d', true);n | tojson;u | tojson;[u] | tojson;L | tojson;D | tojson",
  "D | tojson(indent=2);[] | tojson(indent=2);s | tojson;n | replace('N', 'x');s | replace('a', 'b');u | replace('a', 'b')",
  "' a ' | trim('x');n | trim('N');s.strip('x');u.strip('x');n.strip('x');s.split('/')[0];s.startswith('a');i.strip()",
  "D is iterable;u is iterable;s is iterable;n is iterable;L is iterable;u is sequence;D is sequence;n is sequence;i is iterable",
  "t is number;i is number;x is number;t is boolean;n is none;u is none;u is defined;n is defined;D is mapping;u is mapping",
  "L is not iterable;u is not defined;D.zz is defined;u.zz is defined;s is string;x is float;i is float;i is integer;t is integer",
  "'a' if u;'a' if n else 'b';not u;not L;t and n;n or u;u or n;i > 1;s > 'a';i < n;range(3) | list;s < 1;s >= s",
  "[n, t, 1.5, 'a', [], {}];{'a': none};u();n();D.zz();s.nope();raise_exception('x')",
  "objects | selectattr('a') | list | length",
  "objects | selectattr('a', 'equalto', 'x') | list;objects | rejectattr('a') | list | length;u | map(attribute='a') | list",
  "L | reverse | list;words | unique | list;u | unique | list;L | sort;words | sort;i | abs;x | int;'7' | int",
].flatMap((line) => line.split(";"));

const PROGRAMS = [
  "{% for a in u %}{{ a }}{% else %}none{% endfor %}",
  "{% for a in n %}{{ a }}{% endfor %}",
  "{% for a in s %}[{{ a }}]{% endfor %}",
  "{% for a in D %}{{ a }},{% endfor %}",
  "{% for k, v in D.items() %}{{ k }}={{ v }};{% endfor %}",
  "{% for k, v in u | items %}{{ k }}{% endfor %}",
  "{% for a in L if a %}{{ loop.index }}{{ a }}{{ loop.last }}{% endfor %}",
  "{% for a in [1, 2] %}{{ b }}{% set b = a %}{% endfor %}{{ b }}",
  "{% set b = 0 %}{% for a in [1, 2] %}{{ b }}{% set b = a %}{% endfor %}{{ b }}",
  "{% set ns = namespace(b=0) %}{% for a in [1, 2] %}{{ ns.b }}{% set ns.b = a %}{% endfor %}{{ ns.b }}{{ ns.zz }}",
  "{% for a in [1, 2, 3] %}{% if a == 2 %}{% continue %}{% endif %}{{ a }}{% endfor %}",
  "{% for a in [1, 2, 3] %}{% if a == 2 %}{% break %}{% endif %}{{ a }}{% endfor %}",
  "{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m() }}{{ m(1, b=n) }}",
  "{% macro m() %}{{ varargs | length }}{{ kwargs }}{% endmacro %}{{ m(1, k=2) }}",
  "{% set c %}{{ n }} {{ t }}{% endset %}{{ c }}",
  "{% if u.a %}x{% endif %}",
  "{% if u %}x{% elif n %}y{% else %}z{% endif %}",
  "{% filter upper %}{{ t }}a{% endfilter %}",
  "{%- if true -%}  a  {%- endif %}\n  {% if true %}\n b\n  {% endif %}\nc\n",
  "{# c #}\n{{ s }}\n",
  "{% generation %}{{ n }}{% endgeneration %}",
];

/** Expressions over values of every kind, including undefined (`u`), and short programs. */
export const SNIPPETS: { readonly sources: readonly string[]; readonly variables: Variables } = {
  sources: [...EXPRESSIONS.map((each) => `{{ ${each} }}|`), ...PROGRAMS],
  variables: {
    n: null,
    t: true,
    f: false,
    i: 3,
    x: 1.5,
    s: "aé😀b/c",
    L: [null, true, 3, "a", "", [1], { k: null }],
    D: { k: 1, items: [1], keys: { type: "string" }, none: null, get: false },
    objects: [{ a: "x" }, { a: "" }, { b: 1 }],
    words: ["b", "C", "a"],
  },
};
