/** As much of JSON Schema as our own schemas use; another keyword is an error, so that nothing goes unchecked. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

const silent = new Set(["$schema", "$defs", "title", "description"]);

/** What of a value a schema does not allow, each with the place; none when it fits. */
export function schemaFaults(root: Schema, value: unknown): readonly string[] {
  const at = (schema: Schema, found: unknown, place: string): string[] =>
    Object.entries(schema).flatMap(([keyword, rule]) => {
      if (silent.has(keyword)) return [];
      const check = checks[keyword];
      if (!check) throw new Error(`the schema uses "${keyword}", which this does not know`);
      return check({ schema, rule, found, place, at, root });
    });
  return at(root, value, "$");
}

interface Question {
  readonly schema: Schema;
  readonly rule: unknown;
  readonly found: unknown;
  readonly place: string;
  readonly at: (schema: Schema, found: unknown, place: string) => string[];
  readonly root: Schema;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

// A schema is ours: each rule has the form that its keyword asks for.
const checks: Readonly<Record<string, (question: Question) => string[]>> = {
  type: ({ rule, found, place }) => {
    const is = Array.isArray(found) ? "array" : found === null ? "null" : typeof found;
    return is === rule ? [] : [`${place} is ${is}, not ${String(rule)}`];
  },
  enum: ({ rule, found, place }) =>
    (rule as unknown[]).includes(found) ? [] : [`${place} is ${JSON.stringify(found)}`],
  pattern: ({ rule, found, place }) =>
    typeof found !== "string" || new RegExp(String(rule)).test(found) ? [] : [`${place} is "${found}"`],
  minimum: ({ rule, found, place }) =>
    typeof found !== "number" || found >= Number(rule) ? [] : [`${place} is ${found}`],
  maximum: ({ rule, found, place }) =>
    typeof found !== "number" || found <= Number(rule) ? [] : [`${place} is ${found}`],
  required: ({ rule, found, place }) =>
    isObject(found)
      ? (rule as string[]).filter((key) => !(key in found)).map((key) => `${place} has no ${key}`)
      : [],
  properties: ({ rule, found, place, at }) =>
    isObject(found)
      ? Object.entries(rule as Record<string, Schema>).flatMap(([key, schema]) =>
          key in found ? at(schema, found[key], `${place}.${key}`) : [],
        )
      : [],
  additionalProperties: ({ schema, found, place }) => {
    if (!isObject(found)) return [];
    const known = Object.keys((schema["properties"] ?? {}) as object);
    return Object.keys(found)
      .filter((key) => !known.includes(key))
      .map((key) => `${place} has a ${key}`);
  },
  items: ({ rule, found, place, at }) =>
    Array.isArray(found) ? found.flatMap((one, i) => at(rule as Schema, one, `${place}[${i}]`)) : [],
  oneOf: ({ rule, found, place, at }) => {
    const each = (rule as Schema[]).map((schema) => at(schema, found, place));
    const fitting = each.filter((faults) => faults.length === 0).length;
    return fitting === 1 ? [] : [`${place} fits ${fitting} of ${each.length}: ${each.flat().join(", ")}`];
  },
  $ref: ({ rule, found, place, at, root }) => {
    const defs = root["$defs"] as Record<string, Schema>;
    const schema = defs[String(rule).replace("#/$defs/", "")];
    if (!schema) throw new Error(`the schema has no ${String(rule)}`);
    return at(schema, found, place);
  },
};
