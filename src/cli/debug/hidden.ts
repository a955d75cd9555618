import { isRecord } from "../../api/index.ts";

/** What stands where a value stood. */
const mark = "***";
/** Names whose values are nobody's business, wherever they stand. */
const secretName =
  /pass(word|phrase)?$|secret|token|credential|private|access-?key|api-?key|bearer|authorization/i;
/** Fields that hold names of Secrets, not their values. */
const reference = /ref$|name$|selector$|key$|path$|file$/i;

/** An object without what could be a secret: values of telling names, in fields, maps and environments; and without noise. */
export function hidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hidden);
  if (!isRecord(value)) return value;
  if (
    typeof value["name"] === "string" &&
    typeof value["value"] === "string" &&
    secretName.test(value["name"])
  ) {
    return { ...value, value: mark };
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key]) => key !== "managedFields" && key !== "kubectl.kubernetes.io/last-applied-configuration",
      )
      .map(([key, one]) => [key, isHiddenText(key, one) ? mark : hidden(one)]),
  );
}

function isHiddenText(key: string, value: unknown): boolean {
  return typeof value === "string" && secretName.test(key) && !reference.test(key);
}
