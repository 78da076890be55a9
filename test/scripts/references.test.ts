import { describe, expect, it } from "vitest";
import { type Repository, referenceFaults } from "../../scripts/references.ts";

const DOCUMENT = "# The wire\n\n## Statuses and retries\n\n### forward_backward\n";

const repository: Repository = {
  has: (path) => ["docs/wire.md", "src/core/json.ts"].includes(path),
  read: () => DOCUMENT,
};

function problems(text: string, path = "src/core/some.ts"): readonly string[] {
  return referenceFaults(path, text, repository).map(({ problem }) => problem);
}

describe("rejects a comment that cites a missing document", () => {
  it.each([
    "/** Waits (Tinker wire, section 6.3). */",
    " * One advantage per reward (training-loop rule C.5). `direct`: r.",
    "const limit = 3; // rules A-24 and D-23",
    "/** From the beginning until the run pauses (decisions, 17). */",
    "// As the protocol's 5.12 says.",
    "/** Contradicts rules I1 to I9. */",
    "/** See § 4. */",
    "/** See D-6. */",
    "/** As style.md says. */",
  ])("%s", (line) => {
    expect(problems(line)).not.toEqual([]);
  });

  it.each([
    "/** Line ends as in RFC 9112, section 2.2. */",
    "/** UTF-8, GPT-2, V8, SHA-256, F16 and I32. */",
    'const text = "section 6.3";',
  ])("but not %s", (line) => {
    expect(problems(line)).toEqual([]);
  });
});

it("requires that a link leads to an existing file and heading", () => {
  expect(problems("/** Repeats: `docs/wire.md#statuses-and-retries`. */")).toEqual([]);
  expect(problems("/** The batch: `docs/wire.md#forward_backward`. */")).toEqual([]);
  expect(problems("/** `docs/wire.md#retries` */")).toEqual([
    "docs/wire.md has no heading #retries",
  ]);
  expect(problems("/** `docs/wires.md` */")).toEqual(["docs/wires.md does not exist"]);
  expect(problems("// See `src/core/xml.ts`.")).toEqual(["src/core/xml.ts does not exist"]);
});

it("resolves links of documents relative to their folder", () => {
  const text =
    "See [the wire](wire.md#the-wire), [code](../src/core/json.ts) and [home](https://a.example).";
  expect(problems(text, "docs/other.md")).toEqual([]);
  expect(problems("[gone](../src/core/xml.ts)", "docs/other.md")).toEqual([
    "src/core/xml.ts does not exist",
  ]);
});

it("reports the line of an error", () => {
  expect(referenceFaults("a.md", "fine\nas rule C.3 says\n", repository)).toMatchObject([
    { line: 2 },
    { line: 2 },
  ]);
});
