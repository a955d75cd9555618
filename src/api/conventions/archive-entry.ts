/** The one object that a tar entry of a backup holds. */
export interface ArchiveEntry {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, lower case, as in URLs. */
  readonly resource: string;
  /** Absent in the entries that older readers use, which always hold the preferred version. */
  readonly version?: string;
  readonly preferred: boolean;
  /** Absent for cluster-scoped objects. */
  readonly namespace?: string;
  readonly name: string;
}

/** The entry that holds the format of the whole archive. */
export const formatEntry = "metadata/version";

/** The format that this program writes. */
export const formatVersion = "1.1.0";

/** `deployments.apps`, or `pods` for the core group. */
export function groupResource(entry: { readonly group: string; readonly resource: string }): string {
  return entry.group === "" ? entry.resource : `${entry.resource}.${entry.group}`;
}

/** The name of the tar entry for an object. */
export function archiveEntryName(entry: ArchiveEntry): string {
  const version =
    entry.version === undefined ? "" : `${entry.version}${entry.preferred ? "-preferredversion" : ""}/`;
  const place = entry.namespace === undefined ? "cluster" : `namespaces/${entry.namespace}`;
  return `resources/${groupResource(entry)}/${version}${place}/${entry.name}.json`;
}

/** Reads a tar entry's name; undefined for everything that is not exactly of the form above. */
export function parseArchiveEntry(path: string): ArchiveEntry | undefined {
  const parts = path.split("/");
  const [root, type = "", ...rest] = parts;
  const file = rest.pop() ?? "";
  if (root !== "resources" || type.length > 253 || !typePattern.test(type)) return undefined;
  if (!file.endsWith(".json") || !isName(file.slice(0, -5))) return undefined;
  const dot = type.indexOf(".");
  const names = {
    resource: dot < 0 ? type : type.slice(0, dot),
    group: dot < 0 ? "" : type.slice(dot + 1),
    name: file.slice(0, -5),
  };
  const plain = placeOf(rest);
  if (plain) return { ...names, preferred: true, ...plain };
  const versioned = versionOf(rest[0] ?? "");
  const place = placeOf(rest.slice(1));
  return versioned && place ? { ...names, ...versioned, ...place } : undefined;
}

const label = "[a-z0-9](?:[-a-z0-9]*[a-z0-9])?";
const typePattern = new RegExp(`^${label}(?:\\.${label})*$`);
const labelPattern = new RegExp(`^${label}$`);
const preferredMark = "-preferredversion";

function placeOf(parts: readonly string[]): { readonly namespace?: string } | undefined {
  const [kind, namespace] = parts;
  if (kind === "cluster" && parts.length === 1) return {};
  if (kind !== "namespaces" || parts.length !== 2 || namespace === undefined) return undefined;
  return namespace.length <= 63 && labelPattern.test(namespace) ? { namespace } : undefined;
}

function versionOf(text: string): { readonly version: string; readonly preferred: boolean } | undefined {
  const preferred = text.endsWith(preferredMark);
  const version = preferred ? text.slice(0, -preferredMark.length) : text;
  if (version === "namespaces" || version === "cluster" || version.length > 63) return undefined;
  return labelPattern.test(version) ? { version, preferred } : undefined;
}

/** What the API server takes as a path segment; control characters are refused on top of that. */
function isName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || Buffer.byteLength(name) > 253) return false;
  // oxlint-disable-next-line no-control-regex -- control characters are exactly what is looked for
  return !/[/%\u0000-\u001f\u007f]/.test(name) && name.isWellFormed();
}
