import type { VolumePluginBackup, VolumePluginRestore } from "../../api/index.ts";
import {
  formatBytes,
  formatDuration,
  formatEta,
  formatPercent,
  formatStall,
  type Operation,
} from "../../progress/index.ts";

type PluginObject = VolumePluginBackup | VolumePluginRestore;

/** What a person wants to know of each volume with a native snapshot, below its name. */
export function volumeWords(objects: readonly PluginObject[], operation: Operation | undefined): string {
  const known = operation ? operationsBelow(operation) : [];
  return objects
    .map((object) => {
      const now = known.find((one) => isOf(one, object));
      return `    ${titleOf(object)}:\n${lines(linesOf(object, now))}`;
    })
    .join("\n");
}

/** One that watches names the object itself; one that runs the backup or restore names its child after it. */
function isOf({ ref, kind, id }: Operation, { metadata }: PluginObject): boolean {
  if (ref.uid !== undefined && ref.uid === metadata.uid) return true;
  return kind === "volume" && id === metadata.name;
}

function titleOf({ spec, metadata }: PluginObject): string {
  if (spec && "volume" in spec) return spec.volume;
  return metadata.annotations?.["headway.dev/persistent-volume"] ?? metadata.name;
}

function linesOf(object: PluginObject, now: Operation | undefined): (readonly [string, string])[] {
  const { spec, status } = object;
  const { totalBytes, bytesDone } = status?.progress ?? {};
  const { fraction, eta, stall } = now ?? {};
  const running = status?.phase !== "Completed" && status?.phase !== "Failed" && status?.phase !== "Canceled";
  const share = shareOf(fraction, status?.percent);
  const snapshotID = spec && "snapshotID" in spec ? spec.snapshotID : undefined;
  const [own, volumeID] = [
    status && "snapshotID" in status ? status.snapshotID : undefined,
    status && "volumeID" in status ? status.volumeID : undefined,
  ];
  const took = duration(status?.startTimestamp, status?.completionTimestamp);
  const extra = Object.entries(spec?.pluginSpecific ?? {}).map(([key, value]) => `${key}=${value}`);
  return [
    ["Snapshot ID", own ?? snapshotID ?? ""],
    ...(volumeID === undefined ? [] : [["Volume ID", volumeID] as const]),
    ["Plugin", spec?.plugin ?? ""],
    ...(extra.length > 0 ? [["Plugin specific", extra.join(", ")] as const] : []),
    ["Phase", status?.phase || "New"],
    ...(running && share !== undefined ? [["Progress", formatPercent(share)] as const] : []),
    ...bytesLine(bytesDone, totalBytes, running),
    ...(running && eta ? [["Time left", formatEta(eta)] as const] : []),
    ...(running && stall ? [["Status", formatStall(stall)] as const] : []),
    ...(took === undefined ? [] : [["Took", took] as const]),
    ...(status?.message ? [["Message", status.message] as const] : []),
  ];
}

/** The operation and the object are written at times of their own, and neither ever falls: the larger one is the newer. */
function shareOf(fraction: number | undefined, percent: number | undefined): number | undefined {
  if (fraction === undefined && percent === undefined) return undefined;
  return Math.max(fraction ?? 0, (percent ?? 0) / 100);
}

function bytesLine(
  done: number | undefined,
  total: number | undefined,
  running: boolean,
): (readonly [string, string])[] {
  if (done === undefined && total === undefined) return [];
  if (!running) return [["Size", formatBytes(total ?? done ?? 0)]];
  return [
    [
      "Bytes",
      total === undefined ? formatBytes(done ?? 0) : `${formatBytes(done ?? 0)} of ${formatBytes(total)}`,
    ],
  ];
}

function duration(from: string | null | undefined, to: string | null | undefined): string | undefined {
  const ms = Date.parse(to ?? "") - Date.parse(from ?? "");
  return Number.isFinite(ms) && ms >= 0 ? formatDuration(ms / 1000) : undefined;
}

function operationsBelow(operation: Operation): readonly Operation[] {
  return operation.children.flatMap((child) => [child, ...operationsBelow(child)]);
}

function lines(all: readonly (readonly [string, string])[]): string {
  const wide = Math.max(...all.map(([label]) => label.length)) + 3;
  return all.map(([label, value]) => `      ${`${label}:`.padEnd(wide)}${value}`).join("\n");
}
