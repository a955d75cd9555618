import { AppError } from "../errors.ts";

/** Names of unfinished files start so; a key may not. */
export const partPrefix = ".headway-part-";

/** Refuses keys that could leave the location, that no store can hold, or that no listing would give back. */
export function checkKey(key: string): string {
  const why = fault(key);
  if (why !== undefined) throw refused("key", key, why);
  return key;
}

/** Refuses prefixes as `checkKey` does; "" and a trailing "/" are fine here. */
export function checkPrefix(prefix: string): string {
  const bare = prefix.endsWith("/") ? prefix.slice(0, -1) : prefix;
  const why = prefix === "" ? undefined : fault(bare);
  if (why !== undefined) throw refused("prefix", prefix, why);
  return prefix;
}

/** Refuses what deletePrefix must not take: everything at once, or a name that is the start of a neighbour's. */
export function checkFolder(prefix: string): string {
  if (!prefix.endsWith("/")) throw refused("prefix", prefix, 'a folder to delete must end in "/"');
  return checkPrefix(prefix);
}

/** The key without this prefix's folder, or the prefix itself made to end in "/". */
export function asFolder(prefix: string): string {
  const bare = prefix.replace(/^\/+|\/+$/g, "");
  return bare === "" ? "" : `${checkPrefix(bare)}/`;
}

function fault(key: string): string | undefined {
  if (key === "") return "it is empty";
  if (Buffer.byteLength(key) > 1024) return "it is longer than 1024 bytes";
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  if (/[\u0000-\u001f\u007f]/.test(key)) return "it has control characters";
  if (!key.isWellFormed()) return "it is not valid Unicode";
  for (const part of key.split("/")) {
    if (part === "") return "it has an empty part";
    if (part === "." || part === "..") return `it has the part "${part}"`;
    if (part.startsWith(partPrefix)) return `"${partPrefix}" is reserved for unfinished files`;
  }
  return undefined;
}

function refused(what: string, value: string, why: string): AppError {
  const shown = JSON.stringify(value.slice(0, 200));
  return new AppError("STORE_KEY", `cannot use the ${what} ${shown}: ${why}`, { retry: false });
}
