type Present<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops undefined properties, for headers, JSON, object patches and package options, where the presence of a key has meaning. */
export function withoutUndefined<T extends object>(properties: T): Present<T> {
  const present = Object.entries(properties).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Present<T>;
}
