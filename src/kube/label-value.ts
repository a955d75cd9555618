import { createHash } from "node:crypto";

/**
 * A name as a label value: up to 63 characters as it is, longer ones cut and marked with their hash.
 *
 * Velero and its CLI look objects up by this exact value.
 */
export function labelValue(name: string): string {
  if (name.length <= 63) return name;
  return name.slice(0, 57) + createHash("sha256").update(name).digest("hex").slice(0, 6);
}
