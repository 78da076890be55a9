import { expect, it } from "vitest";
import { isLoopbackHost } from "../../../src/core/util/loopback.ts";

it.each(["localhost", "127.0.0.1", "127.0.0.2", "127.255.255.254", "[::1]"])(
  "%s is this computer",
  (host) => expect(isLoopbackHost(host)).toBe(true),
);

it.each(["127.0.0.1.example", "localhost.example", "128.0.0.1", "[::2]", "10.0.0.1", ""])(
  "'%s' is another machine",
  (host) => expect(isLoopbackHost(host)).toBe(false),
);
