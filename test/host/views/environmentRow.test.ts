import { describe, expect, it } from "vitest";
import { environmentRow, serverRow } from "../../../src/host/views/environmentRow.ts";
import { anEnvironment } from "../../server/catalogue/aList.ts";

describe("the row of an environment", () => {
  it("shows tasks per split and tools, in words for a screen reader too", () => {
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

  it("shows what starts its own server", () => {
    expect(environmentRow("maze", null, "python maze.py")).toMatchObject({
      description: "python maze.py",
      spoken: "environment maze with a server of its own, python maze.py",
      context: "environment+own+serverStopped",
    });
    const splits = [{ name: "train", tasks: 3 }];
    const running = { kind: "ready", address: "http://127.0.0.1:1", splits } as const;
    expect(environmentRow("maze", null, "python maze.py", running)).toMatchObject({
      description: "running · python maze.py",
      context: "environment+own+serverStarted",
    });
    expect(serverRow(running, "python maze.py").description).toBe("127.0.0.1:1");
    const failed = { kind: "failed", message: "No module named 'maze'." } as const;
    expect(environmentRow("maze", null, "python maze.py", failed)).toMatchObject({
      description: "did not start · python maze.py",
      context: "environment+own+serverStopped",
    });
    expect(serverRow(failed, "python maze.py").description).toBe("No module named 'maze'.");
  });

  it("shows only what is known", () => {
    expect(environmentRow("local/new", null)).toMatchObject({
      label: "new",
      description: "",
      spoken: "environment local/new on this computer",
      context: "environment+local",
    });
  });

  it("shows the findings of the last check, and whether they are current", () => {
    const badge = { kind: "defects", text: "2 defects", isOutdated: true } as const;
    const row = environmentRow("maze", null, "python maze.py", undefined, badge);
    expect(row.description).toBe("2 defects, code changed since · python maze.py");
  });
});
