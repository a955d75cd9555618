import {
  type Backup,
  type BackupStorageLocation,
  formatGoDuration,
  formatVersion,
  includeExclude,
  includeExcludeFaults,
  isLegalGlob,
  parseGoDurationMs,
  selectorFault,
  veleroNames,
} from "../../api/index.ts";
import { companionsOnly, usesOldFilters, usesScopedFilters } from "./filters.ts";
import { choosesItems, type Policies } from "./policies.ts";

type Spec = NonNullable<Backup["spec"]>;

/** What a server is told to use where a backup is silent. */
export interface BackupDefaults {
  readonly ttlMs: number;
  readonly csiSnapshotTimeoutMs: number;
  readonly itemOperationTimeoutMs: number;
  readonly resourceTimeoutMs: number;
  readonly volumesToFsBackup: boolean;
  readonly snapshotMoveData: boolean;
  readonly storageLocation: string;
  readonly volumeGroupLabel: string;
  /** The snapshot location of a provider that has several, by the provider. */
  readonly snapshotLocations: Readonly<Record<string, string>>;
}

/** Upstream's defaults. */
export const backupDefaults: BackupDefaults = {
  ttlMs: 720 * 3600_000,
  csiSnapshotTimeoutMs: 600_000,
  itemOperationTimeoutMs: 4 * 3600_000,
  resourceTimeoutMs: 600_000,
  volumesToFsBackup: false,
  snapshotMoveData: false,
  storageLocation: "default",
  volumeGroupLabel: veleroNames.volumeGroup,
  snapshotLocations: {},
};

/** What the cluster says about what a backup names. */
export interface AdmissionFacts {
  readonly locations: readonly BackupStorageLocation[];
  readonly snapshotLocations: readonly { readonly name: string; readonly provider: string }[];
  /** The policy, or why it cannot be read; undefined when the backup names none. */
  readonly policies?: Policies | string | undefined;
  /** Namespaces that carry the label to be left out. */
  readonly labelledNamespaces: readonly string[];
  readonly gitVersion: string;
  /** The label value for a name (63 characters at most). */
  readonly labelValue: (name: string) => string;
  readonly nowMs: number;
  readonly defaults: BackupDefaults;
}

/** A backup that may start, with everything filled in; or why it may not. */
export interface Admission {
  readonly spec: Spec;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly status: {
    readonly version: 1;
    readonly formatVersion: string;
    readonly expiration: string;
    readonly startTimestamp: string;
  };
  readonly faults: readonly string[];
}

/** Applies the defaults to a backup and checks it. */
export function admit(backup: Backup, facts: AdmissionFacts): Admission {
  const spec = withDefaults(backup.spec ?? {}, facts);
  const ttlMs = parseGoDurationMs(spec.ttl ?? "") ?? facts.defaults.ttlMs;
  const [, major = "", minor = ""] = /^v?(\d+)\.(\d+)/.exec(facts.gitVersion) ?? [];
  return {
    spec,
    labels: { [veleroNames.storageLocation]: facts.labelValue(spec.storageLocation ?? "") },
    annotations: {
      [veleroNames.sourceGitVersion]: facts.gitVersion,
      [veleroNames.sourceMajorVersion]: major,
      [veleroNames.sourceMinorVersion]: minor,
      [veleroNames.resourceTimeout]: formatGoDuration(facts.defaults.resourceTimeoutMs),
    },
    status: {
      version: 1,
      formatVersion,
      expiration: timestamp(facts.nowMs + ttlMs),
      startTimestamp: timestamp(facts.nowMs),
    },
    faults: faultsOf(backup.spec ?? {}, spec, facts),
  };
}

/** A moment as Kubernetes writes it: seconds, UTC. */
export function timestamp(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function withDefaults(given: Spec, facts: AdmissionFacts): Spec {
  const { defaults } = facts;
  const excluded = [...(given.excludedNamespaces ?? [])];
  for (const name of facts.labelledNamespaces) if (!excluded.includes(name)) excluded.push(name);
  const fsBackup =
    given.defaultVolumesToFsBackup ?? given.defaultVolumesToRestic ?? defaults.volumesToFsBackup;
  const { defaultVolumesToRestic: _old, ...rest } = given;
  return {
    ...rest,
    metadata: given.metadata ?? ({} as NonNullable<Spec["metadata"]>), // upstream writes the empty object
    hooks: given.hooks ?? ({} as NonNullable<Spec["hooks"]>), // and here
    includedNamespaces: given.includedNamespaces?.length ? given.includedNamespaces : ["*"],
    ...(excluded.length > 0 && { excludedNamespaces: excluded }),
    ...withoutCompanions(given),
    ttl: nonZero(given.ttl) ?? formatGoDuration(defaults.ttlMs),
    csiSnapshotTimeout: nonZero(given.csiSnapshotTimeout) ?? formatGoDuration(defaults.csiSnapshotTimeoutMs),
    itemOperationTimeout:
      nonZero(given.itemOperationTimeout) ?? formatGoDuration(defaults.itemOperationTimeoutMs),
    volumeGroupSnapshotLabelKey: given.volumeGroupSnapshotLabelKey || defaults.volumeGroupLabel,
    storageLocation: given.storageLocation || defaultLocation(facts),
    defaultVolumesToFsBackup: fsBackup,
    snapshotMoveData: given.snapshotMoveData ?? defaults.snapshotMoveData,
    ...withSnapshotLocations(given, facts),
  };
}

/** Types that only come along with a volume are excluded from the lists, in the family of filters that is used. */
function withoutCompanions(given: Spec): Partial<Spec> {
  const plus = (list: readonly string[] | null | undefined, names: readonly string[]) => [
    ...(list ?? []),
    ...names.filter((name) => !(list ?? []).includes(name)),
  ];
  if (usesOldFilters(given)) {
    const all = [...companionsOnly.namespaced, ...companionsOnly.cluster];
    return { excludedResources: plus(given.excludedResources, all) };
  }
  // A list that excludes everything already must stay alone.
  const everything = (list: readonly string[] | null | undefined) => (list ?? []).includes("*");
  const { excludedClusterScopedResources: cluster, excludedNamespaceScopedResources: namespaced } = given;
  return {
    excludedClusterScopedResources: everything(cluster)
      ? (cluster ?? [])
      : plus(cluster, companionsOnly.cluster),
    excludedNamespaceScopedResources: everything(namespaced)
      ? (namespaced ?? [])
      : plus(namespaced, companionsOnly.namespaced),
  };
}

/** One location of each provider: the named one, the default one, or the only one; upstream writes them down as well. */
function withSnapshotLocations(given: Spec, { snapshotLocations, defaults }: AdmissionFacts): Partial<Spec> {
  if (given.snapshotVolumes === false) return {};
  const named = given.volumeSnapshotLocations ?? [];
  const taken = new Set(
    snapshotLocations.filter(({ name }) => named.includes(name)).map(({ provider }) => provider),
  );
  const chosen = [...Map.groupBy(snapshotLocations, ({ provider }) => provider)].flatMap(
    ([provider, all]) => {
      if (taken.has(provider)) return [];
      const marked = all.find(({ name }) => name === defaults.snapshotLocations[provider]);
      return marked?.name ?? (all.length === 1 ? (all[0]?.name ?? []) : []);
    },
  );
  const whole = [...named, ...chosen];
  return whole.length > 0 ? { volumeSnapshotLocations: whole } : {};
}

function nonZero(text: string | undefined): string | undefined {
  const ms = text === undefined ? undefined : parseGoDurationMs(text);
  return ms === undefined || ms === 0 ? undefined : text;
}

function defaultLocation({ locations, defaults }: AdmissionFacts): string {
  const marked = locations.find((location) => location.spec?.default === true);
  return marked?.metadata.name ?? defaults.storageLocation;
}

function faultsOf(given: Spec, spec: Spec, facts: AdmissionFacts): string[] {
  return [
    ...locationFaults(spec, facts),
    ...snapshotLocationFaults(given, facts),
    ...(typeof facts.policies === "string"
      ? [`resource policy "${given.resourcePolicy?.name ?? ""}": ${facts.policies}`]
      : []),
    ...(typeof facts.policies === "object" && choosesItems(facts.policies) && usesOldFilters(given)
      ? [
          "includedResources, excludedResources and includeClusterResources cannot be used together with a resource policy that chooses types or items",
        ]
      : []),
    ...specFaults(given),
  ];
}

/** What is wrong with a spec whatever the cluster holds: no backup of it can ever be valid. */
export function specFaults(given: Spec): string[] {
  return [
    ...filterFaults(given),
    ...selectorFaults(given),
    ...((given.uploaderConfig?.parallelFilesUpload ?? 0) < 0
      ? ["uploaderConfig.parallelFilesUpload must not be negative"]
      : []),
    ...durationFaults(given),
  ];
}

function locationFaults(spec: Spec, { locations }: AdmissionFacts): string[] {
  const name = spec.storageLocation ?? "";
  const location = locations.find((one) => one.metadata.name === name);
  if (!location) return [`backup storage location "${name}" does not exist`];
  if (location.spec?.accessMode === "ReadOnly") return [`backup storage location "${name}" is read-only`];
  if (location.status?.phase === "Unavailable") {
    const why = location.status.message ? `: ${location.status.message}` : "";
    return [`backup storage location "${name}" is unavailable${why}`];
  }
  return [];
}

function filterFaults(spec: Spec): string[] {
  const faults: string[] = [];
  if (usesOldFilters(spec) && usesScopedFilters(spec)) {
    faults.push(
      "includedResources, excludedResources and includeClusterResources cannot be used together with the filters by scope",
    );
  }
  const check = (what: string, pair: Parameters<typeof includeExcludeFaults>[0], scoped = false) => {
    for (const fault of includeExcludeFaults(pair, { scoped })) faults.push(`${what}: ${fault}`);
  };
  check("resources", includeExclude(spec.includedResources, spec.excludedResources));
  const { includedClusterScopedResources, excludedClusterScopedResources } = spec;
  check(
    "cluster-scoped resources",
    includeExclude(includedClusterScopedResources, excludedClusterScopedResources),
    true,
  );
  const { includedNamespaceScopedResources, excludedNamespaceScopedResources } = spec;
  check(
    "namespace-scoped resources",
    includeExclude(includedNamespaceScopedResources, excludedNamespaceScopedResources),
    true,
  );
  check("namespaces", includeExclude(spec.includedNamespaces, spec.excludedNamespaces));
  for (const name of [...(spec.includedNamespaces ?? []), ...(spec.excludedNamespaces ?? [])]) {
    if (isLegalGlob(name) && !isNamespacePattern(name))
      faults.push(`namespaces: "${name}" cannot be the name of a namespace`);
  }
  return faults;
}

/** Letters, digits, dashes and what makes a pattern; empty stands for "no namespace". */
function isNamespacePattern(text: string): boolean {
  return text === "" || (text.length <= 63 && /^[-a-z0-9*?[\]!^]+$/.test(text));
}

function selectorFaults(spec: Spec): string[] {
  const or = spec.orLabelSelectors ?? [];
  const faults = [...(spec.labelSelector ? [spec.labelSelector] : []), ...or].flatMap(
    (selector) => selectorFault(selector) ?? [],
  );
  if (spec.labelSelector && or.length > 0) {
    faults.push("labelSelector and orLabelSelectors cannot be used together");
  }
  return faults;
}

function snapshotLocationFaults(spec: Spec, facts: AdmissionFacts): string[] {
  const faults: string[] = [];
  const byProvider = new Map<string, string>();
  for (const name of spec.volumeSnapshotLocations ?? []) {
    const found = facts.snapshotLocations.find((one) => one.name === name);
    if (!found) {
      faults.push(`volume snapshot location "${name}" does not exist`);
      continue;
    }
    const other = byProvider.get(found.provider);
    if (other !== undefined && other !== name) {
      faults.push(
        `volume snapshot locations "${other}" and "${name}" are both of provider "${found.provider}"`,
      );
    }
    byProvider.set(found.provider, name);
  }
  return [...faults, ...undecidedProviders(spec, facts, byProvider)];
}

/** Providers with several locations, of which nothing says which to take. */
function undecidedProviders(
  spec: Spec,
  { snapshotLocations, defaults }: AdmissionFacts,
  named: ReadonlyMap<string, string>,
): string[] {
  if (spec.snapshotVolumes === false) return [];
  return [...Map.groupBy(snapshotLocations, ({ provider }) => provider)].flatMap(([provider, all]) => {
    const marked = all.some(({ name }) => name === defaults.snapshotLocations[provider]);
    if (all.length === 1 || marked || named.has(provider)) return [];
    const names = all.map(({ name }) => `"${name}"`).join(", ");
    return [
      `provider "${provider}" has several volume snapshot locations (${names}): name one with --volume-snapshot-locations, or start the operator with --default-volume-snapshot-locations`,
    ];
  });
}

function durationFaults(spec: Spec): string[] {
  return (["ttl", "csiSnapshotTimeout", "itemOperationTimeout"] as const).flatMap((field) => {
    const text = spec[field];
    if (text === undefined || text === null || text === "") return [];
    const ms = parseGoDurationMs(text);
    if (ms === undefined) return [`${field} "${text}" is not a duration`];
    if (ms < 0) return [`${field} "${text}" is negative`];
    // Such a backup would have expired before it began.
    return field === "ttl" && ms > 0 && ms < 1_000 ? [`ttl "${text}" is shorter than a second`] : [];
  });
}
