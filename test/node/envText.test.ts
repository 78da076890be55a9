import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { assignmentsIn, parseEnvText } from "../../src/node/envText.ts";

describe("the values of a .env file", () => {
  it.each([
    "A=1\nB=two words # said\n",
    "export A=1\nB = '2'\r\nC=\"a\nb\"\nD=`x",
    "  A=1\n\n# B=2\nC=\n",
    "A='one\nB=two'\nC=3",
  ])("are what Node reads: %j", (text) => {
    expect(parseEnvText(text)).toEqual({ ...parseEnv(text) });
  });

  it("are found behind lines that assign nothing, which Node takes for a part of the name", () => {
    expect(parseEnvText("not a line\nA=1\n# said\nB=2")).toEqual({ A: "1", B: "2" });
  });
});

describe("the lines of an assignment", () => {
  it("reach to the mark that closes its value", () => {
    expect(assignmentsIn(["", "A='1", "2'", "B=3"])).toEqual([
      { name: "A", from: 1, to: 3 },
      { name: "B", from: 3, to: 4 },
    ]);
  });

  it("are one where the mark is never closed", () => {
    expect(assignmentsIn(["A='1", "B=2"])).toEqual([
      { name: "A", from: 0, to: 1 },
      { name: "B", from: 1, to: 2 },
    ]);
  });
});
