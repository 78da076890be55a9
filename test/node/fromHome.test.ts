import { homedir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fromHome } from "../../src/node/fromHome.ts";

it("a path in the home folder begins with ~, a sibling path does not", () => {
  expect(fromHome(join(homedir(), "runs"))).toBe(join("~", "runs"));
  expect(fromHome(homedir())).toBe("~");
  expect(fromHome(`${homedir()}-other`)).toBe(`${homedir()}-other`);
});
