/** Removes secrets from a configuration, by the field they are in rather than by how they look. */

import { isScalar, type Node } from "yaml";
import type { Shape } from "./fields/field.ts";
import { childShape, configShape, isSecret } from "./fields/fields.ts";
import { isObject } from "./fields/sameValue.ts";
import type { Config } from "./fields/schema.ts";
import { readYaml, type YamlSource } from "./source/yamlSource.ts";

/**
 * YAML or JSON text with every value of a secret field replaced by `null` ("look it up"); everything else stays as written. `shape` is
 * the shape of the text, by default a whole configuration. Null and empty values stay.
 */
export function withoutSecretValues(text: string, shape: Shape = configShape): string {
  const source = readYaml(text, "yaml");
  const ranges = new Map(
    secretNodes(source, source.root, shape).flatMap(({ range }) =>
      range ? [[range[0], range[1]] as const] : [],
    ),
  );
  let cleaned = "";
  let done = 0;
  for (const [start, end] of [...ranges].sort(([a], [b]) => a - b)) {
    if (start < done) continue;
    cleaned += `${text.slice(done, start)}null`;
    // The range of a block scalar extends past its last line.
    done = start + text.slice(start, end).trimEnd().length;
  }
  return cleaned + text.slice(done);
}

/** Follows aliases and merged mappings to the node that holds the value. */
function secretNodes(
  source: YamlSource,
  node: Node | null,
  shape: Shape | undefined,
): readonly Node[] {
  const value = source.resolve(node);
  if (value === null || shape === undefined) return [];
  if (shape.type === "string") return isSecret(shape) && !isEmpty(value) ? [value] : [];
  const entries = source.entries(value);
  if (!source.mayVisit(entries.length, value)) return [];
  return entries.flatMap((entry) => secretNodes(source, entry.value, childShape(shape, entry.key)));
}

function isEmpty(node: Node): boolean {
  return isScalar(node) && (node.value === null || node.value === "");
}

/** The configuration with every secret field set to null, which means "look it up". */
export function redactSecrets(config: Config): Config {
  // Only values of nullable fields are replaced.
  return withoutSecrets(config, configShape) as Config;
}

function withoutSecrets(value: unknown, shape: Shape | undefined): unknown {
  if (typeof value === "string") return isSecret(shape) ? null : value;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, childShape(shape, "")));
  if (!isObject(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, item]) => [key, withoutSecrets(item, childShape(shape, key))]),
  );
}

/** The values of secret fields. Register them with a redactor before anything is written. */
export function writtenSecrets(config: Config): readonly string[] {
  return secretsIn(config, configShape);
}

function secretsIn(value: unknown, shape: Shape | undefined): readonly string[] {
  if (typeof value === "string") return isSecret(shape) && value !== "" ? [value] : [];
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => secretsIn(item, childShape(shape, key)));
}
