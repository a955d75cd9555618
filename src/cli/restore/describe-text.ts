import {
  type PodVolumeRestore,
  type Restore,
  selectorQuery,
  type VolumePluginRestore,
} from "../../api/index.ts";
import type { Operation } from "../../progress/index.ts";
import { type CsiVolume, csiWords } from "../backup/csi-words.ts";
import { pairs } from "../backup/describe-text.ts";
import { copiedShare, listWords, moment, type StoredResult, selectorWords } from "../backup/words.ts";
import { volumeWords as snapshotWords } from "../snapshot-location/volume-words.ts";

/** What a description is made of. */
export interface Described {
  readonly restore: Restore;
  readonly volumes: readonly PodVolumeRestore[];
  /** Volumes out of native snapshots. */
  readonly snapshots?: readonly VolumePluginRestore[];
  /** Claims out of CSI snapshots, kept or moved. */
  readonly csi?: readonly CsiVolume[] | undefined;
  /** How far it is, while it runs. */
  readonly operation?: Operation | undefined;
  readonly details: boolean;
  readonly results: { readonly errors?: StoredResult; readonly warnings?: StoredResult } | undefined;
  readonly resourceList: Readonly<Record<string, readonly string[]>> | undefined;
}

type Pair = readonly [label: string, value: string];

const volumePhases: readonly (readonly [string, string])[] = [
  ["Completed", "Completed"],
  ["Canceled", "Canceled"],
  ["Failed", "Failed"],
  ["InProgress", "In Progress"],
  ["Canceling", "Canceling"],
  ["Prepared", "Prepared"],
  ["Accepted", "Accepted"],
  ["New", "New"],
];

/** A restore in upstream's words and order; labels are exact, for scripts that read them. */
export function describeText(described: Described): string {
  const { restore } = described;
  const { metadata, spec = {} } = restore;
  const parts = [
    aligned([
      ["Name", metadata.name],
      ["Namespace", metadata.namespace ?? ""],
      ["Labels", pairsWords(metadata.labels)],
      ["Annotations", pairsWords(metadata.annotations)],
    ]),
    aligned(phase(restore)),
    aligned([
      ["Started", moment(restore.status?.startTimestamp)],
      ["Completed", moment(restore.status?.completionTimestamp)],
    ]),
    validation(restore),
    findings("Warnings", restore.status?.warnings, described.results?.warnings),
    findings("Errors", restore.status?.errors, described.results?.errors),
    aligned([["Backup", spec.backupName ?? ""]]),
    section("Namespaces", [
      [
        "Included",
        listWords(
          spec.includedNamespaces?.filter((one) => one !== "*"),
          "all namespaces found in the backup",
        ),
      ],
      ["Excluded", listWords(spec.excludedNamespaces, "<none>")],
    ]),
    section("Resources", [
      ["Included", listWords(spec.includedResources, "*")],
      ["Excluded", listWords(spec.excludedResources, "<none>")],
      [
        "Cluster-scoped",
        { true: "included", false: "excluded", auto: "auto" }[truth(spec.includeClusterResources)],
      ],
    ]),
    aligned([["Namespace mappings", pairsWords(spec.namespaceMapping)]]),
    aligned([["Label selector", selectorWords(spec.labelSelector, selectorQuery)]]),
    aligned([["Or label selector", orWords(spec.orLabelSelectors)]]),
    aligned([["Restore PVs", truth(spec.restorePVs)]]),
    volumesText(described),
    snapshotsText(described),
    csiText(described),
    aligned([
      ["Existing Resource Policy", spec.existingResourcePolicy || "<none>"],
      ["ItemOperationTimeout", spec.itemOperationTimeout ?? "4h0m0s"],
    ]),
    aligned([["Preserve Service NodePorts", truth(spec.preserveNodePorts)]]),
    named("Resource policies", spec.resourcePolicy),
    named("Resource modifier", spec.resourceModifier),
    hooks(restore),
    resources(described),
  ];
  return `${parts.filter((part) => part !== "").join("\n")}`;
}

function snapshotsText({ snapshots = [], operation }: Described): string {
  return snapshots.length === 0 ? "" : `Native Snapshot Restores:\n${snapshotWords(snapshots, operation)}\n`;
}

function csiText({ csi = [], details }: Described): string {
  return csi.length === 0 ? "" : `CSI Snapshot Restores:\n${csiWords(csi, details)}\n`;
}

function phase({ metadata, status }: Restore): Pair[] {
  const deleting = (metadata.deletionTimestamp ?? null) === null ? "" : " (Deleting)";
  const pairs: Pair[] = [["Phase", `${status?.phase ?? "New"}${deleting}`]];
  const { progress, failureReason } = status ?? {};
  if (progress != null) {
    const running = status?.phase === "InProgress";
    pairs.push(
      [
        running ? "Estimated total items to be restored" : "Total items to be restored",
        String(progress.totalItems ?? 0),
      ],
      [running ? "Items restored so far" : "Items restored", String(progress.itemsRestored ?? 0)],
    );
  }
  if (failureReason !== undefined) pairs.push(["Failure reason", failureReason]);
  return pairs;
}

function validation({ status }: Restore): string {
  const faults = status?.validationErrors ?? [];
  return faults.length === 0 ? "" : `Validation errors:  ${faults.join("\n                    ")}\n`;
}

function findings(label: string, count: number | undefined, result: StoredResult | undefined): string {
  if ((count ?? 0) === 0) return "";
  if (result === undefined) return aligned([[label, String(count)]]);
  const namespaces = Object.entries(result.namespaces ?? {}).map(
    ([name, texts]) => `    ${name}:  ${texts.join(`\n    ${" ".repeat(name.length)}   `)}`,
  );
  return [
    `${label}:`,
    `  Velero:     ${listLines(result.velero)}`,
    `  Cluster:    ${listLines(result.cluster)}`,
    namespaces.length === 0 ? "  Namespaces: <none>" : `  Namespaces:\n${namespaces.join("\n")}`,
    "",
  ].join("\n");
}

function listLines(texts: readonly string[] | undefined): string {
  return texts === undefined || texts.length === 0 ? "<none>" : texts.join("\n              ");
}

function volumesText({ volumes, details }: Described): string {
  const [first] = volumes;
  if (first === undefined) return "";
  const lines = [`${first.spec?.uploaderType || "restic"} Restores:`];
  for (const [key, label] of volumePhases) {
    const those = volumes.filter(({ status }) => (status?.phase || "New") === key);
    if (those.length === 0) continue;
    if (!details) lines.push(`  ${label}:  ${those.length}`);
    else lines.push(`  ${label}:`, ...those.map((one) => `    ${volumeWords(one)}`));
  }
  return `${lines.join("\n")}\n`;
}

function volumeWords({ spec, status }: PodVolumeRestore): string {
  const { totalBytes = 0, bytesDone = 0 } = status?.progress ?? {};
  const share =
    status?.phase === "InProgress" && totalBytes > 0 ? ` (${copiedShare(bytesDone, totalBytes)})` : "";
  return `${spec?.pod?.namespace ?? ""}/${spec?.pod?.name ?? ""}: ${spec?.volume ?? ""}${share}`;
}

function named(what: string, map: NonNullable<Restore["spec"]>["resourceModifier"]): string {
  return map
    ? section(what, [
        ["Type", map.kind],
        ["Name", map.name],
      ])
    : "";
}

function hooks({ status }: Restore): string {
  const { hooksAttempted = 0, hooksFailed = 0 } = status?.hookStatus ?? {};
  if (status?.hookStatus === undefined) return "";
  return aligned([
    ["HooksAttempted", String(hooksAttempted)],
    ["HooksFailed", String(hooksFailed)],
  ]);
}

function resources({ details, resourceList }: Described): string {
  if (!details) return "";
  if (resourceList === undefined) return "Resource List:  <restore resource list not found>\n";
  const lines = Object.keys(resourceList)
    .toSorted()
    .flatMap((kind) => [`  ${kind}:`, ...(resourceList[kind] ?? []).map((item) => `    - ${item}`)]);
  return `${["Resource List:", ...lines].join("\n")}\n`;
}

function section(title: string, pairs: readonly Pair[]): string {
  return `${title}:\n${aligned(pairs, "  ")}`;
}

/** `Label:  value`, the values in one column, with an end of line. */
function aligned(lines: readonly Pair[], indent = ""): string {
  return `${pairs(lines, indent)}\n`;
}

function truth(value: boolean | null | undefined): "true" | "false" | "auto" {
  return value == null ? "auto" : value ? "true" : "false";
}

function pairsWords(pairs: Readonly<Record<string, string>> | null | undefined): string {
  const texts = Object.entries(pairs ?? {}).map(([key, value]) => `${key}=${value}`);
  return texts.length === 0 ? "<none>" : texts.join(", ");
}

function orWords(selectors: readonly object[] | null | undefined): string {
  return selectors == null || selectors.length === 0
    ? "<none>"
    : selectors.map((one) => selectorQuery(one)).join(" or ");
}
