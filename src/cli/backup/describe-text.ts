import {
  type Backup,
  type DeleteBackupRequest,
  type PodVolumeBackup,
  selectorQuery,
  type VolumePluginBackup,
} from "../../api/index.ts";
import { isRunUnderWay } from "../../kinds/index.ts";
import { adviceOf, formatPercent, headline, type Operation } from "../../progress/index.ts";
import { volumeWords as snapshotWords } from "../snapshot-location/volume-words.ts";
import { type CsiVolume, csiWords } from "./csi-words.ts";
import { copiedShare, listWords, moment, type StoredResult, selectorWords } from "./words.ts";

/** Everything that a description is made of; files that could not be read are absent. */
export interface Described {
  readonly backup: Backup;
  readonly copies: readonly PodVolumeBackup[];
  /** Native snapshots. */
  readonly snapshots?: readonly VolumePluginBackup[];
  /** Claims with CSI snapshots, kept or moved; told when the backup has ended. */
  readonly csi?: readonly CsiVolume[] | undefined;
  readonly deletions: readonly DeleteBackupRequest[];
  readonly results?: { readonly errors: StoredResult; readonly warnings: StoredResult } | undefined;
  readonly resourceList?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly details: boolean;
  /** What the operator publishes about it while it runs. */
  readonly operation?: Operation | undefined;
}

type Spec = NonNullable<Backup["spec"]>;

/** The description of a backup, with upstream's labels in upstream's order. */
export function describeText(given: Described): string {
  const { backup } = given;
  const spec = backup.spec ?? {};
  const parts = [
    head(backup),
    phase(backup),
    ...policies(spec),
    "",
    ...validation(backup),
    ...findings(given),
    filters(spec),
    ...selectors(spec),
    pairs([["Storage Location", spec.storageLocation ?? ""]]),
    snapshots(spec),
    pairs([["TTL", spec.ttl ?? ""]]),
    pairs([
      ["CSISnapshotTimeout", spec.csiSnapshotTimeout ?? ""],
      ["ItemOperationTimeout", spec.itemOperationTimeout ?? ""],
    ]),
    hooks(spec),
    ...ordered(spec),
    ...status(backup),
    ...live(given),
    ...operations(given),
    ...resources(given),
    volumes(given),
    ...hookStatus(backup),
    ...deletions(given),
  ];
  return `${parts.join("\n\n").replace("\n\n\n\n", "\n\n\n")}\n`;
}

/** Lines whose values stand in one column; a value of several lines keeps to it. */
export function pairs(lines: readonly (readonly [string, string])[], indent = ""): string {
  const wide = Math.max(...lines.map(([label]) => label.length)) + 3;
  return lines
    .map(([label, value]) => {
      const [first = "", ...more] = value.split("\n");
      const rest = more.map((line) => `\n${indent}${" ".repeat(wide)}${line}`);
      return `${indent}${`${label}:`.padEnd(wide)}${first}${rest.join("")}`.trimEnd();
    })
    .join("\n");
}

function head({ metadata }: Backup): string {
  const map = (values: Readonly<Record<string, string>> | undefined) =>
    Object.entries(values ?? {})
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, value]) => `${key}=${value}`)
      .join("\n") || "<none>";
  return pairs([
    ["Name", metadata.name],
    ["Namespace", metadata.namespace ?? ""],
    ["Labels", map(metadata.labels)],
    ["Annotations", map(metadata.annotations)],
  ]);
}

function phase({ status: now, metadata }: Backup): string {
  const name = now?.phase || "New";
  const hint = /^(PartiallyFailed|Failed)$/.test(name)
    ? ` (run \`headway backup logs ${metadata.name}\` for more information)`
    : "";
  return pairs([
    ["Phase", `${name}${hint}`],
    ...(now?.queuePosition ? [["Queue position", String(now.queuePosition)] as const] : []),
    ...(now?.failureReason ? [["Failure reason", now.failureReason] as const] : []),
  ]);
}

function policies(spec: Spec): string[] {
  const { resourcePolicy, uploaderConfig } = spec;
  const parallel = uploaderConfig?.parallelFilesUpload ?? 0;
  return [
    ...(resourcePolicy
      ? [
          `Resource policies:\n${pairs(
            [
              ["Type", resourcePolicy.kind],
              ["Name", resourcePolicy.name],
            ],
            "  ",
          )}`,
        ]
      : []),
    ...(parallel > 0
      ? [`Uploader config:\n${pairs([["Parallel files upload", String(parallel)]], "  ")}`]
      : []),
  ];
}

function validation({ status: now }: Backup): string[] {
  const faults = now?.validationErrors ?? [];
  return faults.length === 0 ? [] : [`Validation errors:  ${faults.join("\n                    ")}`];
}

function findings({ backup, results }: Described): string[] {
  const { warnings = 0, errors = 0 } = backup.status ?? {};
  if (warnings === 0 && errors === 0) return [];
  if (!results) return [`Warnings:  ${warnings}`, `Errors:  ${errors}`];
  return [`Warnings:${resultWords(results.warnings)}`, `Errors:${resultWords(results.errors)}`];
}

function resultWords(result: StoredResult): string {
  const { velero = [], cluster = [], namespaces = {} } = result;
  if (velero.length + cluster.length + Object.keys(namespaces).length === 0) return "  <none>";
  const list = (lines: readonly string[], indent: string) =>
    lines.map((line) => `\n${indent}${line}`).join("");
  const group = (label: string, lines: readonly string[]) =>
    `\n  ${`${label}:`.padEnd(12)}${lines.length === 0 ? "<none>" : list(lines, "    ").trimStart()}`;
  const spaces = Object.entries(namespaces).map(([name, lines]) => `\n    ${name}:${list(lines, "      ")}`);
  return `${group("Velero", velero)}${group("Cluster", cluster)}\n  Namespaces:${spaces.length === 0 ? " <none>" : spaces.join("")}`;
}

function filters(spec: Spec): string {
  const old =
    spec.includedResources?.length ||
    spec.excludedResources?.length ||
    spec.includeClusterResources !== undefined;
  const scope =
    spec.includeClusterResources === true
      ? "included"
      : spec.includeClusterResources === false
        ? "excluded"
        : "auto";
  const types: [string, string][] = old
    ? [
        ["Included", listWords(spec.includedResources, "*")],
        ["Excluded", listWords(spec.excludedResources, "<none>")],
        ["Cluster-scoped", scope],
      ]
    : [
        ["Included cluster-scoped", listWords(spec.includedClusterScopedResources, "<none>")],
        ["Excluded cluster-scoped", listWords(spec.excludedClusterScopedResources, "<none>")],
        ["Included namespace-scoped", listWords(spec.includedNamespaceScopedResources, "*")],
        ["Excluded namespace-scoped", listWords(spec.excludedNamespaceScopedResources, "<none>")],
      ];
  const names = pairs(
    [
      ["Included", listWords(spec.includedNamespaces, "*")],
      ["Excluded", listWords(spec.excludedNamespaces, "<none>")],
    ],
    "  ",
  );
  return `Namespaces:\n${names}\n\nResources:\n${pairs(types, "  ")}`;
}

function selectors(spec: Spec): string[] {
  const or = (spec.orLabelSelectors ?? []).map((one) => selectorWords(one, selectorQuery));
  return [
    pairs([["Label selector", selectorWords(spec.labelSelector, selectorQuery)]]),
    pairs([["Or label selector", or.length === 0 ? "<none>" : or.join(" or ")]]),
  ];
}

function snapshots(spec: Spec): string {
  const native = spec.snapshotVolumes ?? undefined;
  return pairs([
    ["Velero-Native Snapshot PVs", native === undefined ? "auto" : String(native)],
    ...(spec.defaultVolumesToFsBackup === undefined || spec.defaultVolumesToFsBackup === null
      ? []
      : [["File System Backup (Default)", String(spec.defaultVolumesToFsBackup)] as const]),
    [
      "Snapshot Move Data",
      spec.snapshotMoveData === undefined || spec.snapshotMoveData === null
        ? "auto"
        : String(spec.snapshotMoveData),
    ],
    ["Data Mover", spec.datamover || "velero"],
  ]);
}

function hooks(spec: Spec): string {
  const all = spec.hooks?.resources ?? [];
  if (all.length === 0) return "Hooks:  <none>";
  const words = all.map((one) => {
    const commands = (["pre", "post"] as const).flatMap((when) =>
      (one[when] ?? []).map(({ exec }) => {
        const lines: [string, string][] = [
          ["Container", exec.container ?? "<default>"],
          ["Command", exec.command.join(" ")],
          ["On Error", exec.onError ?? "<default>"],
          ["Timeout", exec.timeout ?? "<default>"],
        ];
        return `\n      ${when === "pre" ? "Pre" : "Post"} Exec Hook:\n${pairs(lines, "        ")}`;
      }),
    );
    const lines: [string, string][] = [
      ["Included namespaces", listWords(one.includedNamespaces, "*")],
      ["Excluded namespaces", listWords(one.excludedNamespaces, "<none>")],
      ["Label selector", selectorWords(one.labelSelector, selectorQuery)],
    ];
    return `\n    ${one.name}:\n${pairs(lines, "      ")}${commands.join("")}`;
  });
  return `Hooks:\n  Resources:${words.join("")}`;
}

function ordered(spec: Spec): string[] {
  const entries = Object.entries(spec.orderedResources ?? {});
  return entries.length === 0
    ? []
    : [`OrderedResources:${entries.map(([type, names]) => `\n  ${type}: ${names}`).join("")}`];
}

function status(backup: Backup): string[] {
  const now = backup.status;
  if (!now?.startTimestamp)
    return now?.formatVersion ? [pairs([["Backup Format Version", now.formatVersion]])] : [];
  const running = isRunUnderWay(now.phase);
  const { totalItems = 0, itemsBackedUp = 0 } = now.progress ?? {};
  return [
    pairs([["Backup Format Version", now.formatVersion ?? ""]]),
    pairs([
      ["Started", moment(now.startTimestamp)],
      ["Completed", moment(now.completionTimestamp)],
    ]),
    pairs([["Expiration", moment(now.expiration)]]),
    ...(now.progress
      ? [
          pairs([
            [
              running ? "Estimated total items to be backed up" : "Total items to be backed up",
              String(totalItems),
            ],
            [running ? "Items backed up so far" : "Items backed up", String(itemsBackedUp)],
            // Upstream has no percentage; while a backup runs it is the first thing one wants to know.
            ...(running && totalItems > 0
              ? [["Share of the items", formatPercent(Math.min(itemsBackedUp / totalItems, 0.9999))] as const]
              : []),
          ]),
        ]
      : []),
  ];
}

/** What upstream cannot tell: how far the whole is, tails included, how long it takes, and what it waits for. */
function live({ backup, operation }: Described): string[] {
  if (!isRunUnderWay(backup.status?.phase) || !operation) return [];
  const { fraction, message } = operation;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["Share of the whole", fraction === undefined ? undefined : formatPercent(fraction)],
    ["Status", headline(operation)],
    ["Advice", adviceOf(operation)],
    ["Present item", message],
  ];
  const lines = facts.flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []));
  return lines.length === 0 ? [] : [pairs(lines)];
}

/** Work on single items that goes on beside the storing of the rest. */
function operations({ backup }: Described): string[] {
  const {
    backupItemOperationsAttempted: all = 0,
    backupItemOperationsCompleted: done = 0,
    backupItemOperationsFailed: failed = 0,
  } = backup.status ?? {};
  if (all === 0) return [];
  return [pairs([["Backup Item Operations", `${done} of ${all} completed successfully, ${failed} failed`]])];
}

function resources({ details, resourceList }: Described): string[] {
  if (!details) return [];
  if (!resourceList) return ["Resource List:  <backup resource list not found>"];
  const kinds = Object.keys(resourceList).toSorted();
  return [
    `Resource List:${kinds.map((kind) => `\n  ${kind}:${(resourceList[kind] ?? []).map((name) => `\n    - ${name}`).join("")}`).join("")}`,
  ];
}

const groups = [
  "Completed",
  "Failed",
  "Canceled",
  "InProgress",
  "Canceling",
  "Prepared",
  "Accepted",
  "New",
] as const;

function volumes(given: Described): string {
  const { backup, copies, details, snapshots: native = [], csi: claims = [], operation } = given;
  const ended = /^(Completed|PartiallyFailed|Failed)$/.test(backup.status?.phase ?? "");
  const none = ended ? " <none included>" : " <none included or not detectable>";
  const csi = claims.length > 0 ? `\n${csiWords(claims, details)}` : none;
  const taken = native.length === 0 ? " <none included>" : `\n${snapshotWords(native, operation)}`;
  return `Backup Volumes:\n  Velero-Native Snapshots:${taken}\n\n  CSI Snapshots:${csi}\n\n${copyWords(copies, details)}`;
}

function copyWords(copies: readonly PodVolumeBackup[], details: boolean): string {
  const [first] = copies;
  if (!first) return "  Pod Volume Backups: <none included>";
  const uploader = first.spec?.uploaderType || "restic";
  const lines = groups.flatMap((group) => {
    const mine = copies.filter((copy) => (copy.status?.phase || "New") === group);
    if (mine.length === 0) return [];
    const label = group === "InProgress" ? "In Progress" : group;
    if (!details) return [`    ${label}:  ${mine.length}`];
    const byPod = Map.groupBy(mine, ({ spec }) => `${spec?.pod.namespace}/${spec?.pod.name}`);
    return [
      `    ${label}:`,
      ...[...byPod].map(([pod, list]) => `      ${pod}: ${list.map(volumeWords).join(", ")}`),
    ];
  });
  const hint = details ? "" : " (specify --details for more information)";
  return `  Pod Volume Backups - ${uploader}${hint}:\n${lines.join("\n")}`;
}

function volumeWords({ spec, status: now }: PodVolumeBackup): string {
  const { totalBytes = 0, bytesDone = 0 } = now?.progress ?? {};
  if (now?.phase === "InProgress" && totalBytes > 0)
    return `${spec?.volume} (${copiedShare(bytesDone, totalBytes)})`;
  return spec?.volume ?? "";
}

function hookStatus({ status: now }: Backup): string[] {
  if (!now?.hookStatus) return [];
  const { hooksAttempted = 0, hooksFailed = 0 } = now.hookStatus;
  return [
    pairs([
      ["HooksAttempted", String(hooksAttempted)],
      ["HooksFailed", String(hooksFailed)],
    ]),
  ];
}

function deletions({ deletions: requests }: Described): string[] {
  if (requests.length === 0) return [];
  const failed = requests.filter(({ status: now }) => (now?.errors ?? []).length > 0).length;
  const title = failed > 0 ? `Deletion Attempts (${failed} failed):` : "Deletion Attempts:";
  const words = requests.map(({ metadata, status: now }) => {
    const errors = (now?.errors ?? []).map((error) => `\n    ${error}`).join("");
    return `\n  ${moment(metadata.creationTimestamp)}: ${now?.phase ?? "New"}${errors ? `\n  Errors:${errors}` : ""}`;
  });
  return [`${title}${words.join("")}`];
}
