import { AppError } from "../../errors.ts";
import { checkDurations, pairsOf, parseSelector } from "../backup/spec.ts";
import { type Input, text, texts } from "../command.ts";

const lists = {
  "include-namespaces": "includedNamespaces",
  "exclude-namespaces": "excludedNamespaces",
  "include-resources": "includedResources",
  "exclude-resources": "excludedResources",
} as const;
const words = {
  "from-backup": "backupName",
  "from-schedule": "scheduleName",
  "existing-resource-policy": "existingResourcePolicy",
  "item-operation-timeout": "itemOperationTimeout",
} as const;
const truths = {
  "include-cluster-resources": "includeClusterResources",
  "restore-volumes": "restorePVs",
  "preserve-nodeports": "preserveNodePorts",
} as const;

/** The spec of a Restore as the flags say it; what no flag says stays out. */
export function restoreSpecOf(input: Input): Readonly<Record<string, unknown>> {
  const chosen = [text(input, "from-backup"), text(input, "from-schedule")].filter(
    (one) => one !== undefined,
  );
  if (chosen.length !== 1)
    throw new AppError("USAGE", "from what? --from-backup or --from-schedule, one of them", { retry: false });
  const fields: [string, unknown][] = [];
  for (const [flag, field] of Object.entries(lists))
    if (texts(input, flag).length > 0) fields.push([field, texts(input, flag)]);
  for (const [flag, field] of Object.entries(words))
    if (text(input, flag) !== undefined) fields.push([field, text(input, flag)]);
  checkDurations(input, "item-operation-timeout");
  for (const [flag, field] of Object.entries(truths)) {
    const value = text(input, flag);
    if (value !== undefined) fields.push([field, value === "true"]);
  }
  return {
    ...Object.fromEntries(fields),
    ...selectors(input),
    ...mappings(input),
    ...status(input),
    ...others(input),
  };
}

/** Labels or annotations of the new restore. */
export function metadataOf(input: Input): Readonly<Record<string, unknown>> {
  const both = ["labels", "annotations"].map((flag) => [flag, pairsOf(input, flag)] as const);
  return Object.fromEntries(both.filter(([, pairs]) => Object.keys(pairs).length > 0));
}

/** The name of a restore that was given none: the backup's and the moment. */
export function nameFrom(source: string, nowMs: number): string {
  return `${source}-${new Date(nowMs).toISOString().slice(0, 19).replace(/[-T:]/g, "")}`;
}

function selectors(input: Input): object {
  const one = text(input, "selector");
  const or = text(input, "or-selector");
  return {
    ...(one !== undefined && { labelSelector: parseSelector(one) }),
    ...(or !== undefined && { orLabelSelectors: or.split(" or ").map((part) => parseSelector(part)) }),
  };
}

function mappings(input: Input): object {
  const pairs = texts(input, "namespace-mappings").map((pair) => {
    const parts = pair.split(":");
    if (parts.length !== 2 || parts.includes("")) {
      throw new AppError("USAGE", `--namespace-mappings takes source:target, not "${pair}"`, {
        retry: false,
      });
    }
    return parts;
  });
  const twice = pairs.find(([source], at) => pairs.findIndex(([other]) => other === source) < at)?.[0];
  if (twice !== undefined) {
    throw new AppError("USAGE", `--namespace-mappings maps "${twice}" twice`, { retry: false });
  }
  return pairs.length > 0 ? { namespaceMapping: Object.fromEntries(pairs) } : {};
}

function status(input: Input): object {
  const included = texts(input, "status-include-resources");
  const excluded = texts(input, "status-exclude-resources");
  if (included.length + excluded.length === 0) return {};
  return {
    restoreStatus: {
      ...(included.length > 0 && { includedResources: included }),
      ...(excluded.length > 0 && { excludedResources: excluded }),
    },
  };
}

function others(input: Input): object {
  const modifier = text(input, "resource-modifier-configmap");
  const policy = text(input, "resource-policies-configmap");
  const sparse = text(input, "write-sparse-files");
  const parallel = text(input, "parallel-files-download");
  if (parallel !== undefined && !/^[1-9]\d{0,3}$/.test(parallel)) {
    throw new AppError("USAGE", `--parallel-files-download takes a number from 1, not "${parallel}"`, {
      retry: false,
    });
  }
  const uploader = {
    ...(sparse !== undefined && { writeSparseFiles: sparse === "true" }),
    ...(parallel !== undefined && { parallelFilesDownload: Number(parallel) }),
  };
  return {
    ...(policy !== undefined && { resourcePolicy: { kind: "configmap", name: policy } }),
    ...(modifier !== undefined && { resourceModifier: { kind: "configmap", name: modifier } }),
    ...(Object.keys(uploader).length > 0 && { uploaderConfig: uploader }),
  };
}
