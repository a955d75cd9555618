import { isRecord } from "./json-value.ts";

/** The value after a JSON merge patch (RFC 7386): null removes, objects merge, everything else replaces. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const fields = new Map(isRecord(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) fields.delete(key);
    else if (value !== undefined) fields.set(key, applyMergePatch(fields.get(key), value));
  }
  return Object.fromEntries(fields);
}
