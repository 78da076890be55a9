/** An object that has only `members`: all others exist, but fail the test when they are called. */
export function onlyMembers<Whole extends object>(members: Partial<Whole>): Whole {
  const unused = (): never => {
    throw new Error("The test did not expect this call.");
  };
  return new Proxy(members as Whole, {
    // A promise checks whether its result is a promise.
    get: (known, name: (keyof Whole & string) | "then") =>
      name === "then" ? undefined : (known[name] ?? unused),
  });
}
