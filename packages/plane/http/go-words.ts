import { isMap } from "../object.ts";

/** A value as Go prints it with `%v`: `map[spec:map[replicas:two]]`. */
export function goWords(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goWords).join(" ")}]`;
  if (isMap(value)) {
    const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `map[${entries.map(([key, item]) => `${key}:${goWords(item)}`).join(" ")}]`;
  }
  return value === null || value === undefined ? "<nil>" : String(value as string | number | boolean);
}

/** What Go's JSON decoder says about a value of the wrong type, in the words of the converter that strategic patches go through. */
export function conversionWords(decoder: string): string {
  const [, from = "", to = ""] = /cannot unmarshal (\w+) .*of type (.+)$/.exec(decoder) ?? [];
  if (to === "") return decoder;
  const kind = { number: "int64", array: "slice", object: "map" }[from] ?? from;
  if (to.startsWith("map")) return `cannot restore map from ${kind}`;
  if (to.startsWith("[]")) return `cannot restore slice from ${kind}`;
  if (/^[a-z0-9]+$/.test(to)) {
    // Go can turn a number into a string, so it says that JSON cannot.
    return to === "string" && kind === "int64"
      ? "cannot convert int64 to string"
      : `unrecognized type: ${to}`;
  }
  return `cannot restore struct from: ${kind}`;
}
