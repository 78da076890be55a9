import { describe, expect, it } from "vitest";
import {
  type Destinations,
  destinationsOf,
  type Naming,
  OFFICIAL_SERVICES,
  requireNamed,
} from "../../../src/core/secrets/destinations.ts";
import { configIn, textWith } from "../config/configText.ts";
import { aConfig, anEnvironment } from "../training/builders.ts";
import { NO_SERVER, type ServerConfig } from "../training/serverBuilder.ts";

const official = {
  tinker_base_url: "https://tinker.example/prod",
  openreward_base_url: "https://sessions.example",
};
const environments = {
  "me/maze": anEnvironment({ secrets: { token: null, unused: "" } }),
  "local/calculator": anEnvironment({ secrets: { other: null } }),
};
const hosted = aConfig({
  model_name: "Qwen/Qwen3-8B",
  environments,
  evaluation: null,
  secrets: { shared: null },
});

function naming(options: Partial<Naming> = {}): Naming {
  const advice = (origins: readonly string[]): string => `Allow ${origins.join(" ")}.`;
  return {
    named: [OFFICIAL_SERVICES],
    allowedOrigins: [],
    official,
    folder: "runs/x",
    advice,
    ...options,
  };
}

function refusal(wanted: Destinations, options: Partial<Naming> = {}): string | null {
  try {
    requireNamed(wanted, naming(options));
    return null;
  } catch (error) {
    return String(error);
  }
}

describe("the destinations of a configuration", () => {
  it("are its hosted services, and hosted environments with the secrets they get", () => {
    expect(destinationsOf(hosted)).toEqual({
      addresses: { tinker_base_url: null, openreward_base_url: null },
      environments: { "me/maze": ["SHARED", "TOKEN"] },
    });
  });

  it("are empty for embedded models and environments, whatever addresses are set", () => {
    const local = aConfig({
      model_name: "local/tiny-tool",
      tinker_base_url: "https://other.example",
      environments: { "local/calculator": anEnvironment() },
      evaluation: null,
    });
    expect(destinationsOf(local)).toEqual({ addresses: {}, environments: {} });
  });
});

it("destinations include notification targets, which need approval if only a run folder names them", () => {
  const [entry] = configIn(textWith("notify: [{ webhook_variable: HOOK }]")).notify;
  if (entry === undefined) throw new Error("the configuration has one");
  const notifying = (changes: Partial<typeof entry>) =>
    destinationsOf({ ...aConfig(), notify: [{ ...entry, webhook_variable: null, ...changes }] });
  const places = [
    [notifying({ webhook_variable: "HOOK" }), "HOOK under notify"],
    [notifying({ webhook: "https://hooks.example/a" }), "https://hooks.example/a under notify"],
    [notifying({ command: ["sh", "-c", "id"] }), '["sh","-c","id"] under notify'],
  ] as const;
  const others = { ...naming().named[0], ...destinationsOf(aConfig()) };
  for (const [wanted, text] of places) {
    expect(refusal(wanted, { named: [others] })).toContain(`names ${text}`);
    expect(refusal(wanted, { named: [others, wanted] })).toBeNull();
  }
  const allowedOrigins = [{ origin: "https://hooks.example", key: null }];
  expect(refusal(places[1][0], { named: [others], allowedOrigins })).toBeNull();
});

it("destinations include the command of an agent, and the variables it looks up", () => {
  const agent = {
    command: ["python", "agent.py"],
    protocol: "openai",
    env: { TOKEN: null, LEVEL: "3" },
    timeout: null,
    reward: "session",
    reward_command: ["python", "grade.py"],
  } as const;
  const environments = { "local/calculator": anEnvironment({ agent }) };
  const wanted = destinationsOf(
    aConfig({ model_name: "local/tiny-tool", environments, evaluation: null }),
  );
  const command =
    '["python","agent.py","(graded by [\\"python\\",\\"grade.py\\"])","(with LEVEL=3)"]';
  expect(wanted).toEqual({
    addresses: {},
    environments: { "local/calculator": ["TOKEN"] },
    servers: { "local/calculator (agent)": command },
  });
  expect(refusal(wanted)).toContain(`the command ${command} of local/calculator (agent)`);
  expect(refusal(wanted, { named: [OFFICIAL_SERVICES, wanted] })).toBeNull();
});

describe("an environment's own server", () => {
  const atOwn = (server: Partial<ServerConfig>) =>
    destinationsOf(
      aConfig({
        model_name: "local/tiny-tool",
        environments: { maze: anEnvironment({ server: { ...NO_SERVER, ...server } }) },
        evaluation: null,
      }),
    );
  const command = ["python", "maze.py"];

  it("is a destination, with the variables it looks up", () => {
    expect(atOwn({ url: "https://maze.example", headers: { "X-Proxy-Key": null } })).toEqual({
      addresses: {},
      environments: { maze: ["X_PROXY_KEY"] },
      servers: { maze: "https://maze.example" },
    });
    expect(atOwn({ command, env: { TOKEN: null, LEVEL: "3" } })).toEqual({
      addresses: {},
      environments: { maze: ["TOKEN"] },
      servers: { maze: '["python","maze.py","(with LEVEL=3)"]' },
    });
  });

  it("is the file of a dataset, which no allowed host covers", () => {
    const wanted = destinationsOf(
      aConfig({
        model_name: "local/tiny-tool",
        environments: { "local/dataset": anEnvironment({ tasks: "/home/me/private.csv" }) },
        evaluation: null,
      }),
    );
    expect(refusal(wanted)).toContain("names the file /home/me/private.csv of local/dataset");
    expect(refusal(wanted, { named: [wanted] })).toBeNull();
  });

  it("is refused if only a run folder names it, and a command even with allowed hosts", () => {
    const url = "https://maze.example";
    expect(refusal(atOwn({ url }))).toContain("names the server https://maze.example of maze");
    expect(refusal(atOwn({ url }), { allowedOrigins: [{ origin: url, key: null }] })).toBeNull();
    expect(refusal(atOwn({ url }), { named: [atOwn({ url: `${url}/` })] })).toBeNull();
    const allowedOrigins = [{ origin: "http://127.0.0.1", key: null }];
    expect(refusal(atOwn({ command }), { allowedOrigins })).toContain("names the command");
    const other = atOwn({ command: [...command, "--debug"] });
    expect(refusal(atOwn({ command }), { named: [other] })).toContain("names the command");
    expect(
      refusal(atOwn({ command, cwd: "elsewhere" }), { named: [atOwn({ command })] }),
    ).toContain("(in elsewhere)");
    expect(refusal(atOwn({ command }), { named: [atOwn({ command })] })).toBeNull();
    const loaded = atOwn({ command, env: { LD_PRELOAD: "./other.so" } });
    expect(refusal(loaded, { named: [atOwn({ command })] })).toContain("LD_PRELOAD=./other.so");
  });

  it("behind a bridge is refused if anything that determines the started program differs", () => {
    const bridged = { bridge: "verifiers", id: "maze", python: ".venv/bin/python" } as const;
    const named = [atOwn(bridged)];
    expect(refusal(atOwn(bridged), { named })).toBeNull();
    expect(refusal(atOwn({ ...bridged, python: "./elsewhere" }), { named })).toContain(
      "./elsewhere",
    );
    expect(refusal(atOwn({ ...bridged, id: "other" }), { named })).toContain("other");
    expect(refusal(atOwn({ ...bridged, args: { size: "9" } }), { named })).toContain("size");
    expect(refusal(atOwn({ ...bridged, cwd: "elsewhere" }), { named })).toContain("elsewhere");
  });
});

describe("destinations from a run folder", () => {
  const wanted = destinationsOf(hosted);

  it("are accepted if the user has named all of them", () => {
    expect(requireNamed(wanted, naming({ named: [wanted] }))).toEqual([]);
    const spelled = { ...wanted, addresses: { tinker_base_url: "https://Own.example/" } };
    const named = { ...wanted, addresses: { tinker_base_url: "https://own.example" } };
    expect(requireNamed(spelled, naming({ named: [named] }))).toEqual([]);
  });

  it("are refused with each address, environment, and secret that the user has not named", () => {
    const evil = { ...wanted, addresses: { tinker_base_url: "https://evil.example/x" } };
    const message = refusal(evil);
    expect(message).toContain("tinker_base_url https://evil.example/x");
    expect(message).toContain("the environment me/maze");
    expect(message).toContain("the secret TOKEN for me/maze");
    expect(message).toContain("Allow https://evil.example https://sessions.example.");
  });

  it("get no secret that the user named for another environment", () => {
    const named = { ...wanted, environments: { "me/maze": ["SHARED"], "me/other": ["TOKEN"] } };
    expect(refusal(wanted, { named: [named] })).toContain("the secret TOKEN for me/maze");
  });

  it("include official services only if the user's configuration names them", () => {
    const embedded = { addresses: {}, environments: {} };
    expect(refusal(wanted, { named: [embedded] })).toContain(
      "tinker_base_url https://tinker.example/prod",
    );
  });

  it("are accepted at allowed origins, and reported", () => {
    const evil = { addresses: { tinker_base_url: "https://own.example/x" }, environments: {} };
    const allowedOrigins = [{ origin: "https://own.example", key: null }];
    expect(requireNamed(evil, naming({ allowedOrigins }))).toEqual([
      "Only runs/x names tinker_base_url https://own.example/x; https://own.example is allowed.",
    ]);
    const other = [{ origin: "https://own.example.evil", key: null }];
    expect(refusal(evil, { allowedOrigins: other })).not.toBeNull();
  });

  it("get only the secret that was approved", () => {
    const allowedOrigins = [{ origin: "https://sessions.example", key: "TOKEN" }];
    const message = refusal(wanted, {
      named: [{ ...wanted, environments: { "me/maze": [] } }],
      allowedOrigins,
    });
    expect(message).toContain("the secret SHARED for me/maze");
    expect(message).not.toContain("TOKEN");
  });
});
