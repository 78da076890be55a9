import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { assignmentOf, assignmentsIn, parseEnvText } from "../../src/node/envText.ts";

describe("the values of a .env file", () => {
  it.each([
    "A=1\nB=two words # said\n",
    "export A=1\nB = '2'\r\nC=\"a\nb\"\nD=`x",
    "  A=1\n\n# B=2\nC=\n",
    "A='one\nB=two'\nC=3",
  ])("match Node: %j", (text) => {
    expect(parseEnvText(text)).toEqual({ ...parseEnv(text) });
  });

  it("are found after lines that assign nothing, which Node treats as part of the name", () => {
    expect(parseEnvText("not a line\nA=1\n# said\nB=2")).toEqual({ A: "1", B: "2" });
  });
});

describe("an assignment that is written", () => {
  it.each(["plain", "two words # said", `it's "said"`, "it's one\\n line", "two\nlines", ""])(
    "has its value when it is read: %j",
    (value) => {
      expect(parseEnvText(assignmentOf("A", value) ?? "")).toEqual({ A: value });
    },
  );

  it("is refused if no quotes keep the value", () => {
    expect(assignmentOf("A", "a'b\"c`d")).toBeNull();
  });
});

describe("the lines of an assignment", () => {
  it("extend to the closing quote of the value", () => {
    expect(assignmentsIn(["", "A='1", "2'", "B=3"])).toEqual([
      { name: "A", from: 1, to: 3 },
      { name: "B", from: 3, to: 4 },
    ]);
  });

  it("are a single line if the quote is never closed", () => {
    expect(assignmentsIn(["A='1", "B=2"])).toEqual([
      { name: "A", from: 0, to: 1 },
      { name: "B", from: 1, to: 2 },
    ]);
  });
});
