type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** The properties that have a value, for headers, JSON, changes to other objects and options of packages, where a key says something by being there. */
export function withoutUndefined<T extends object>(properties: T): Present<T> {
  const present = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<T>;
}
