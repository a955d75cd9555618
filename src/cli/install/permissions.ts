/** One rule of a role. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  /** Only objects of these names. */
  readonly resourceNames?: readonly string[];
}

/** What a part of the program needs: in its own namespace, and in the whole cluster. */
export interface Permissions {
  readonly own: readonly Rule[];
  readonly cluster: readonly Rule[];
}

const read = ["get", "list", "watch"];
const observe = ["list", "watch"];
const write = ["create", "patch", "delete"];
const rule = (apiGroup: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [apiGroup],
  resources,
  verbs,
});
const velero = (verbs: readonly string[], ...resources: readonly string[]) =>
  rule("velero.io", resources, verbs);
const migration = (verbs: readonly string[], ...resources: readonly string[]) =>
  rule("migration.openshift.io", resources, verbs);
const none: readonly Rule[] = [];
const snapshots = "snapshot.storage.k8s.io";

/** Every operator, whatever its controllers: leader election, observing, publishing, deciding who may read. */
export const everyOperator: Permissions = {
  own: [
    rule("coordination.k8s.io", ["leases"], [...read, "create", "update"]),
    rule("", ["configmaps"], ["get", "create", "patch"]),
    // The page follows links to logs only to the location of the backup.
    velero(["get"], "backups", "restores", "backupstoragelocations"),
  ],
  cluster: [
    // What is only watched is never asked for one by one.
    velero(
      observe,
      "backups",
      "restores",
      "podvolumebackups",
      "podvolumerestores",
      "datauploads",
      "datadownloads",
      "volumepluginbackups",
      "volumepluginrestores",
    ),
    rule("cr.kanister.io", ["actionsets"], observe),
    rule("migration.openshift.io", ["migmigrations"], observe),
    rule("headway.dev", ["operations"], [...read, ...write]),
    rule("headway.dev", ["drills"], observe),
    rule("", ["pods", "nodes"], observe),
    rule("", ["events"], ["create", "patch"]),
    rule("authentication.k8s.io", ["tokenreviews"], ["create"]),
    rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
  ],
};

/** Each controller by the name that `--controllers` knows. What is an operation is watched for all of them, with the rights above. */
export const controllerPermissions: Readonly<Record<string, Permissions>> = {
  location: {
    own: [
      velero([...read, "patch"], "backupstoragelocations"),
      velero(["list"], "backups"),
      rule("", ["secrets"], ["get"]),
    ],
    cluster: none,
  },
  backup: {
    own: [
      velero(["get", "list", "patch"], "backups"),
      velero(["list", "create", "patch"], "podvolumebackups"),
      velero(["get", "list", ...write], "volumepluginbackups"),
      velero(["get", "list", "create", "patch"], "datauploads"),
      velero(read, "backupstoragelocations"),
      velero(read, "volumesnapshotlocations"),
      rule("", ["secrets"], ["get", "create"]),
    ],
    // A backup may hold any object, and runs hooks in pods. What it makes for its CSI snapshots it takes away again.
    cluster: [
      rule("*", ["*"], ["get", "list"]),
      rule("", ["pods/exec"], ["get", "create"]),
      rule("snapshot.storage.k8s.io", ["volumesnapshots"], write),
      rule("snapshot.storage.k8s.io", ["volumesnapshotcontents"], ["patch", "delete"]),
    ],
  },
  schedule: {
    own: [velero([...read, "patch"], "schedules"), velero(["get", "list", "create"], "backups")],
    cluster: none,
  },
  "backup-sync": {
    own: [
      velero([...read, "patch"], "backupstoragelocations"),
      velero(["list", "create", "delete"], "backups"),
      velero(["list"], "schedules"),
      velero(["list", "create"], "podvolumebackups"),
      velero(["list", "create", "patch"], "volumepluginbackups"),
      rule("", ["secrets"], ["get"]),
    ],
    cluster: none,
  },
  "snapshot-records": {
    own: [
      velero(["get"], "backups", "backupstoragelocations"),
      velero(["list"], "volumepluginbackups"),
      rule("", ["secrets"], ["get"]),
    ],
    cluster: none,
  },
  gc: {
    own: [
      velero(["get", "list", "patch"], "backups"),
      velero(["list", "create"], "deletebackuprequests"),
      velero(["get"], "backupstoragelocations"),
    ],
    cluster: none,
  },
  "backup-deletion": {
    own: [
      velero([...read, "patch", "delete"], "deletebackuprequests"),
      velero(["get", "list", "patch", "delete"], "backups", "restores"),
      velero(["list", "deletecollection"], "podvolumebackups"),
      velero(["list", "delete", "deletecollection"], "volumepluginbackups"),
      velero(["list", "deletecollection"], "datauploads"),
      velero(["get"], "backupstoragelocations", "volumesnapshotlocations"),
      rule("", ["secrets"], ["get"]),
    ],
    // A snapshot that only an archive knows is deleted by way of a content that is made for it.
    cluster: [
      rule("snapshot.storage.k8s.io", ["volumesnapshots"], ["list", "delete"]),
      rule("snapshot.storage.k8s.io", ["volumesnapshotcontents"], ["get", ...write]),
    ],
  },
  "download-request": {
    own: [
      velero([...observe, "patch", "delete"], "downloadrequests"),
      velero(["get"], "backups", "restores", "backupstoragelocations"),
      rule("", ["secrets"], ["get"]),
    ],
    cluster: none,
  },
  "server-status": {
    own: [velero([...observe, "patch", "delete"], "serverstatusrequests")],
    cluster: none,
  },
  restore: {
    own: [
      velero(["get", "patch"], "restores"),
      velero(["list", "create", "patch", "deletecollection"], "podvolumerestores"),
      velero(["get", "list", ...write, "deletecollection"], "volumepluginrestores"),
      velero(["get", "list"], "backups", "volumepluginbackups"),
      velero(["list", "create", "patch"], "datadownloads"),
      velero(read, "backupstoragelocations", "volumesnapshotlocations"),
      velero(["list"], "podvolumebackups"),
      rule("", ["secrets", "serviceaccounts"], ["get"]),
      rule("", ["configmaps"], ["get", "list"]),
    ],
    // What is restored is written with other rights: see `wideRights`. Pods, claims and snapshots are looked at while volumes come back.
    cluster: [
      rule("", ["pods", "persistentvolumeclaims"], ["get"]),
      rule("snapshot.storage.k8s.io", ["volumesnapshots", "volumesnapshotcontents"], ["get"]),
      rule("snapshot.storage.k8s.io", ["volumesnapshotclasses"], ["list"]),
    ],
  },
  actionset: {
    own: [
      rule("cr.kanister.io", ["actionsets"], ["get", "patch"]),
      rule("cr.kanister.io", ["blueprints"], ["get"]),
    ],
    // Profiles, Secrets and objects may lie anywhere. What functions do there is in `wideRights`.
    cluster: [rule("cr.kanister.io", ["profiles"], ["get"]), rule("*", ["*"], ["get", "list"])],
  },
  "backup-repo": {
    own: [
      velero([...read, "create", "patch"], "backuprepositories"),
      velero(read, "backupstoragelocations"),
      velero(["list"], "podvolumebackups", "podvolumerestores"),
      rule("", ["secrets"], ["get", "create"]),
    ],
    cluster: none,
  },
  migration: {
    own: [
      migration([...read, "patch"], "migclusters", "migstorages", "mighooks", "migplans"),
      migration(["get", "patch"], "migmigrations"),
      velero(["get", "list", ...write], "backups", "restores"),
      velero([...read, ...write], "backupstoragelocations", "deletebackuprequests"),
      velero(["get", "list"], "podvolumebackups", "podvolumerestores"),
      rule("", ["secrets"], ["get", "create", "patch"]),
    ],
    cluster: [rule("authorization.k8s.io", ["selfsubjectaccessreviews"], ["create"])],
  },
  drill: {
    own: [
      rule("headway.dev", ["drills"], ["get", "list", ...write]),
      velero(["get", "list", ...write], "restores"),
      velero(["get", "list"], "backups", "backupstoragelocations"),
      velero(["list"], "podvolumebackups", "podvolumerestores", "datadownloads"),
      rule("", ["configmaps"], ["get", "list", ...write]),
      rule("", ["secrets"], ["get", "create"]),
    ],
    // What it does in scratch namespaces it does with the rights of restores.
    cluster: none,
  },
};

/** What goes beyond reading applications: a role of its own each, so that whoever installs decides where it holds. */
export const wideRights = {
  /** A restore may make any object, roles with any rights among them, and runs hooks in pods. */
  restore: [
    rule("*", ["*"], [...read, ...write]),
    rule("rbac.authorization.k8s.io", ["roles", "clusterroles"], ["bind", "escalate"]),
    rule("", ["pods/exec"], ["get", "create"]),
  ],
  /** Functions run pods and commands beside applications. What KubeOps makes beyond this is for the user to grant. */
  actionset: [
    rule("", ["pods"], [...read, "create", "delete"]),
    rule("", ["pods/exec"], ["get", "create"]),
    rule("", ["pods/log"], ["get"]),
    rule("", ["secrets"], ["get", "create", "patch", "delete"]),
    rule("", ["persistentvolumeclaims"], ["get", "create"]),
    rule("apps", ["deployments", "statefulsets"], ["get", "patch"]),
    rule(snapshots, ["volumesnapshots", "volumesnapshotcontents"], ["get", "create", "delete"]),
  ],
  /** The host may be the source, the destination or both: any object is marked, scaled, moved or taken back. */
  migration: [rule("*", ["*"], [...read, ...write])],
} as const satisfies Record<string, readonly Rule[]>;

/** The right to act as service accounts of one's own namespace, by name: that of all would be the right of the strongest. */
export function impersonation(accounts: readonly string[]): Rule {
  return { ...rule("", ["serviceaccounts"], ["impersonate"]), resourceNames: accounts };
}

/** The agent of a node. */
export const agentPermissions: Permissions = {
  own: [
    velero([...observe, "patch"], "podvolumebackups", "podvolumerestores"),
    velero([...read, "patch"], "datauploads", "datadownloads"),
    velero(["get", "list", "create"], "backuprepositories"),
    // A copy is run only while its Backup or Restore is in progress.
    velero(["get"], "backups", "restores", "backupstoragelocations"),
    rule("coordination.k8s.io", ["leases"], ["get", "create", "patch"]),
    rule("", ["secrets", "configmaps"], ["get"]),
    rule("", ["events"], ["list"]),
    // A volume whose data is moved is held by a pod and a claim of the server's own namespace.
    rule("", ["pods", "persistentvolumeclaims"], ["create", "delete"]),
    rule(snapshots, ["volumesnapshots"], ["create"]),
  ],
  cluster: [
    rule("", ["pods"], read),
    rule("", ["nodes"], ["get"]),
    // The volume with restored data is given to the claim that waits for it, in any namespace.
    rule("", ["persistentvolumeclaims", "persistentvolumes"], ["get", "patch"]),
    rule("storage.k8s.io", ["storageclasses"], ["get"]),
    rule("scheduling.k8s.io", ["priorityclasses"], ["get"]),
    // A backup's snapshot is taken over from the namespace of its claim.
    rule(snapshots, ["volumesnapshots"], ["get", "delete"]),
    rule(snapshots, ["volumesnapshotcontents"], ["get", "create", "patch", "delete"]),
  ],
};

/** What an operator with these controllers needs; all of them when none are named. */
export function operatorPermissions(controllers: readonly string[] = []): Permissions {
  const names = controllers.length > 0 ? controllers : Object.keys(controllerPermissions);
  const parts = [everyOperator, ...names.flatMap((name) => controllerPermissions[name] ?? [])];
  return {
    own: merged(parts.flatMap(({ own }) => own)),
    cluster: merged(parts.flatMap(({ cluster }) => cluster)),
  };
}

/** One rule per set of verbs and group, in a fixed order; what a wider rule already gives is left out. */
export function merged(rules: readonly Rule[]): readonly Rule[] {
  const verbs = new Map<string, Set<string>>();
  for (const { apiGroups, resources, verbs: given } of rules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        const key = `${group}\n${resource}`;
        verbs.set(key, new Set([...(verbs.get(key) ?? []), ...given]));
      }
    }
  }
  const everywhere = verbs.get("*\n*") ?? new Set<string>();
  const grouped = new Map<
    string,
    { readonly group: string; readonly verbs: string[]; readonly resources: string[] }
  >();
  for (const [key, all] of verbs) {
    const [group = "", resource = ""] = key.split("\n");
    const rest = [...all].filter((verb) => key === "*\n*" || !everywhere.has(verb)).toSorted();
    if (rest.length === 0) continue;
    const same = `${group}\n${rest.join()}`;
    const known = grouped.get(same) ?? { group, verbs: rest, resources: [] };
    known.resources.push(resource);
    grouped.set(same, known);
  }
  return [...grouped.values()]
    .map(({ group, verbs: given, resources }) => rule(group, resources.toSorted(), given))
    .toSorted((a, b) => order(a).localeCompare(order(b), "en"));
}

function order({ apiGroups, resources }: Rule): string {
  return `${apiGroups.join()} ${resources.join()}`;
}
