import { describe, expect, it } from "vitest";
import { environmentRow } from "../../../src/host/views/environmentRow.ts";
import { anEnvironment } from "../../server/catalogue/aList.ts";

describe("the row of an environment", () => {
  it("names tasks per split and tools, in words for a screen reader too", () => {
    const splits = [
      { name: "train", tasks: 4096 },
      { name: "test", tasks: null },
    ];
    const entry = anEnvironment("Owner/Game", { splits, tools: ["look"], description: "A game." });
    expect(environmentRow("Owner/Game", entry)).toMatchObject({
      label: "Owner/Game",
      description: "4,096 train · test · 1 tool",
      spoken: "environment Owner/Game at OpenReward, 4,096 train, test, 1 tool",
      tooltip: "Owner/Game\nA game.\n4,096 train · test · 1 tool",
      context: "environment+hosted",
    });
  });

  it("says what starts a server of its own", () => {
    expect(environmentRow("maze", null, "python maze.py")).toMatchObject({
      description: "python maze.py",
      spoken: "environment maze with a server of its own, python maze.py",
      context: "environment+own",
    });
  });

  it("says no more than is known", () => {
    expect(environmentRow("local/new", null)).toMatchObject({
      label: "new",
      description: "",
      spoken: "environment local/new on this computer",
      context: "environment+local",
    });
  });
});
