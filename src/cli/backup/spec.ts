import { type LabelSelector, parseGoDurationMs, parseSelector as readSelector } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Input, text, texts } from "../command.ts";

const lists = {
  "include-namespaces": "includedNamespaces",
  "exclude-namespaces": "excludedNamespaces",
  "include-resources": "includedResources",
  "exclude-resources": "excludedResources",
  "include-cluster-scoped-resources": "includedClusterScopedResources",
  "exclude-cluster-scoped-resources": "excludedClusterScopedResources",
  "include-namespace-scoped-resources": "includedNamespaceScopedResources",
  "exclude-namespace-scoped-resources": "excludedNamespaceScopedResources",
  "volume-snapshot-locations": "volumeSnapshotLocations",
} as const;
const words = {
  "storage-location": "storageLocation",
  "csi-snapshot-timeout": "csiSnapshotTimeout",
  "item-operation-timeout": "itemOperationTimeout",
  "data-mover": "datamover",
  ttl: "ttl",
} as const;
const truths = {
  "include-cluster-resources": "includeClusterResources",
  "snapshot-volumes": "snapshotVolumes",
  "snapshot-move-data": "snapshotMoveData",
  "default-volumes-to-fs-backup": "defaultVolumesToFsBackup",
} as const;

/** The spec of a Backup as the flags say it; what no flag says stays out. */
export function backupSpecOf(input: Input): Record<string, unknown> {
  const spec: Record<string, unknown> = {};
  for (const [flag, field] of Object.entries(lists)) {
    const values = texts(input, flag);
    if (values.length > 0) spec[field] = values;
  }
  for (const [flag, field] of Object.entries(words)) if (text(input, flag)) spec[field] = text(input, flag);
  for (const [flag, field] of Object.entries(truths)) {
    const value = text(input, flag);
    if (value !== undefined) spec[field] = value === "true";
  }
  checkDurations(input, "ttl", "csi-snapshot-timeout", "item-operation-timeout");
  const selector = text(input, "selector");
  if (selector) spec["labelSelector"] = parseSelector(selector);
  const or = text(input, "or-selector");
  if (or) spec["orLabelSelectors"] = or.split(" or ").map(parseSelector);
  const order = text(input, "ordered-resources");
  if (order) spec["orderedResources"] = orderOf(order);
  const policy = text(input, "resource-policies-configmap");
  if (policy) spec["resourcePolicy"] = { kind: "configmap", name: policy };
  const parallel = text(input, "parallel-files-upload");
  if (parallel)
    spec["uploaderConfig"] = { parallelFilesUpload: wholeNumber("parallel-files-upload", parallel) };
  return spec;
}

/** Durations are checked where the person still is: the operator would refuse them later. */
export function checkDurations(input: Input, ...flags: readonly string[]): void {
  for (const flag of flags) {
    const given = text(input, flag);
    if (given && parseGoDurationMs(given) === undefined) {
      throw new AppError("USAGE", `--${flag} takes a duration such as 72h or 1h30m, not "${given}"`, {
        retry: false,
      });
    }
  }
}

/** `key=value` pairs of a repeatable flag. */
export function pairsOf(input: Input, flag: string): Record<string, string> {
  return Object.fromEntries(
    texts(input, flag).map((pair) => {
      const at = pair.indexOf("=");
      if (at < 1) throw new AppError("USAGE", `--${flag} takes key=value, not "${pair}"`, { retry: false });
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

/** Reads `a=b,c!=d,e in (f,g),!h` as kubectl does. */
export function parseSelector(source: string): LabelSelector {
  const selector = readSelector(source);
  if (selector) return selector;
  throw new AppError("USAGE", `"${source}" is not a label selector`, { retry: false });
}

/** `pods=ns1/a,ns1/b;pvs=x`. */
function orderOf(source: string): Record<string, string> {
  return Object.fromEntries(
    source.split(";").map((part) => {
      const [type = "", names = "", more] = part.split("=");
      if (type === "" || names === "" || more !== undefined) {
        throw new AppError("USAGE", `--ordered-resources takes type=name,name;type=name, not "${source}"`, {
          retry: false,
        });
      }
      return [type.trim(), names.trim()];
    }),
  );
}

function wholeNumber(flag: string, source: string): number {
  if (!/^\d{1,6}$/.test(source))
    throw new AppError("USAGE", `--${flag} takes a number, not "${source}"`, { retry: false });
  return Number(source);
}
