import {
  type DataDownload,
  type DataUpload,
  type PodVolumeBackup,
  parseTimeMs,
  veleroNames,
} from "../api/index.ts";
import { Histogram, Series } from "./exposition.ts";
import { nodeFamilies as families } from "./families.ts";

/** What node agents work on, as far as upstream counts it. */
export type VolumeCopy = PodVolumeBackup | DataUpload | DataDownload;

/** Copies whose time is told one by one; upstream tells all that there ever were. */
const mostCopies = 200;

/** Upstream's metrics of node agents. The operator tells them for all nodes, from the objects that the agents write. */
export class NodeMetrics {
  readonly #series = {
    enqueued: new Series(families.enqueued),
    dequeued: new Series(families.dequeued),
    latencyGauge: new Series(families.latencyGauge),
    uploadSuccesses: new Series(families.uploadSuccesses),
    uploadFailures: new Series(families.uploadFailures),
    uploadCancels: new Series(families.uploadCancels),
    downloadSuccesses: new Series(families.downloadSuccesses),
    downloadFailures: new Series(families.downloadFailures),
    downloadCancels: new Series(families.downloadCancels),
  };
  readonly #latency = new Histogram(families.latency);
  /** Names of the copies with a time, oldest first. */
  readonly #timed: string[] = [];

  /** A change, as an informer tells it. */
  change(now: VolumeCopy | undefined, before: VolumeCopy | undefined): void {
    if (!now || !before) return;
    const [phase, was] = [now.status?.phase ?? "New", before.status?.phase ?? "New"];
    if (phase === was) return;
    if (now.kind === "PodVolumeBackup") return this.#copy(now, phase, was);
    const labels = { node: now.status?.node ?? "" };
    const ends = now.kind === "DataUpload" ? uploads : downloads;
    if (phase in ends) this.#series[ends[phase as keyof typeof ends]].add(labels);
  }

  text(): string {
    return [...Object.values(this.#series).map((series) => series.text()), this.#latency.text()].join("");
  }

  #copy(copy: PodVolumeBackup, phase: string, was: string): void {
    const node = copy.spec?.node ?? "";
    const isBegun = was === "InProgress";
    if (phase === "InProgress" || (phase === "Completed" && !isBegun)) this.#series.enqueued.add({ node });
    if (phase !== "Completed") return;
    this.#series.dequeued.add({ node });
    const [begun, ended] = [
      parseTimeMs(copy.status?.startTimestamp),
      parseTimeMs(copy.status?.completionTimestamp),
    ];
    if (begun === undefined || ended === undefined) return;
    const labels = labelsOf(copy, node);
    this.#latency.observe(labels, (ended - begun) / 1000);
    this.#series.latencyGauge.set(labels, (ended - begun) / 1000);
    this.#timed.push(labels.pod_volume_backup);
    const oldest = this.#timed.length > mostCopies ? this.#timed.shift() : undefined;
    if (oldest === undefined) return;
    this.#latency.forget("pod_volume_backup", oldest);
    this.#series.latencyGauge.forget("pod_volume_backup", oldest);
  }
}

const uploads = {
  Completed: "uploadSuccesses",
  Failed: "uploadFailures",
  Canceled: "uploadCancels",
} as const;
const downloads = {
  Completed: "downloadSuccesses",
  Failed: "downloadFailures",
  Canceled: "downloadCancels",
} as const;

function labelsOf({ metadata, spec }: PodVolumeBackup, node: string) {
  const backup = metadata.labels?.[veleroNames.backupName] ?? "";
  const parts = [
    metadata.name,
    spec?.backupStorageLocation,
    spec?.pod.namespace,
    spec?.uploaderType,
    "backup",
  ];
  return {
    node,
    operation: parts.map((part) => part ?? "").join("-"),
    backupName: `${metadata.namespace ?? ""}/${backup}`,
    pod_volume_backup: metadata.name,
  };
}
