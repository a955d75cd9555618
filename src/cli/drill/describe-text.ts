import type { Drill } from "../../api/index.ts";
import { drillPhaseOf } from "../../kinds/index.ts";
import { formatBytes, formatDuration } from "../../progress/index.ts";
import { pairs } from "../backup/describe-text.ts";
import { age, moment } from "../backup/words.ts";
import type { ListStyle } from "../objects.ts";
import { table } from "../render/table.ts";

type Result = NonNullable<NonNullable<Drill["status"]>["result"]>;

/** The table of `drill get`. */
export function drillTable(found: readonly Drill[], nowMs: number, { wide, columns }: ListStyle): string {
  const headings = [
    "NAME",
    "BACKUP",
    "STATUS",
    "RTO",
    "RPO",
    "VOLUMES",
    "ENDED",
    ...(wide ? ["MESSAGE"] : []),
  ];
  const rows = found.map((drill) => {
    const { metadata, spec, status } = drill;
    const { rtoSeconds, rpoSeconds, volumes, volumesProved = 0 } = status?.result ?? {};
    const ended = status?.completionTimestamp ?? status?.lastRunTimestamp;
    return [
      metadata.name,
      status?.backupName ?? spec?.backupName ?? `newest of ${spec?.scheduleName ?? ""}`,
      metadata.deletionTimestamp ? "Deleting" : drillPhaseOf(drill),
      duration(rtoSeconds),
      duration(rpoSeconds),
      volumes === undefined ? "" : `${volumesProved} of ${volumes}`,
      ended ? `${age(nowMs - Date.parse(ended))} ago` : "",
      ...(wide ? [status?.message ?? ""] : []),
    ];
  });
  return table(headings, rows, { columns });
}

/** The verdict of a drill that has ended, in a few lines. */
export function verdictWords({ metadata, status }: Drill): string {
  const { message = "", failures = [] } = status ?? {};
  const lines = [
    `drill "${metadata.name}": ${message}`,
    ...measuredLines(status?.result ?? {}).map(([label, value]) => `  ${label}: ${value}`),
    ...failures.map(
      ({ part, object, message: why }) => `  failed (${part})${object ? ` ${object}` : ""}: ${why}`,
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** Everything about a drill. */
export function describeText(drill: Drill): string {
  const { metadata, spec, status } = drill;
  const { namespaces = [], checks = [], failures = [], report } = status ?? {};
  const times = spec?.schedule ? `${spec.schedule}${spec.timeZone ? ` (${spec.timeZone})` : ""}` : undefined;
  return [
    pairs([
      ["Name", metadata.name],
      ["Namespace", metadata.namespace ?? ""],
      ["Phase", drillPhaseOf(drill)],
      ...optional("Message", status?.message),
      ["Backup", status?.backupName ?? spec?.backupName ?? `newest of schedule ${spec?.scheduleName ?? ""}`],
      ...optional("Schedule", times),
      ...optional("Last Run", status?.lastRunName),
      ...optional("Next Run", status?.nextRunTimestamp ? moment(status.nextRunTimestamp) : undefined),
    ]),
    ...(times === undefined
      ? [
          pairs([
            ["Started", moment(status?.startTimestamp)],
            ["Completed", moment(status?.completionTimestamp)],
          ]),
        ]
      : []),
    ...section("Measured", measuredLines(status?.result ?? {})),
    ...section(
      "Scratch namespaces",
      namespaces.map(({ source, target }) => [source, target] as const),
    ),
    ...section(
      "Checks",
      checks.map(
        ({ kind, namespace, name, result, message = "" }) =>
          [
            `${kind} ${namespace ? `${namespace}/` : ""}${name}`,
            `${result}${message ? `: ${message}` : ""}`,
          ] as const,
      ),
    ),
    ...section(
      "Failures",
      failures.map(
        ({ part, reason, object, message }) =>
          [`${part} (${reason})`, `${object ? `${object}: ` : ""}${message}`] as const,
      ),
    ),
    ...section("Report", [
      ...optional("Stored as", report?.key),
      ...optional("SHA-256", report?.sha256),
      ...optional("Public key", report?.publicKey),
    ]),
  ].join("\n\n");
}

/** What was measured, as far as it was. */
export function measuredLines(result: Result): readonly (readonly [string, string])[] {
  const { rtoSeconds, objectsSeconds, volumesSeconds, readySeconds, checksSeconds, rpoSeconds } = result;
  const { items, itemsRestored, volumes, volumesProved = 0, bytes, bytesRestored } = result;
  return [
    ...optional("Recovery time (RTO)", duration(rtoSeconds)),
    ...optional("  objects", duration(objectsSeconds)),
    ...optional("  volumes", duration(volumesSeconds)),
    ...optional("  workloads ready", duration(readySeconds)),
    ...optional("  checks", duration(checksSeconds)),
    ...optional("Age of the data (RPO)", duration(rpoSeconds)),
    ...optional("Objects", items === undefined ? undefined : `${itemsRestored ?? 0} of ${items}`),
    ...optional("Volumes proved", volumes === undefined ? undefined : `${volumesProved} of ${volumes}`),
    ...optional(
      "Data",
      bytes === undefined ? undefined : `${formatBytes(bytesRestored ?? 0)} of ${formatBytes(bytes)}`,
    ),
  ];
}

function duration(seconds: number | undefined): string {
  return seconds === undefined ? "" : formatDuration(seconds);
}

function optional(label: string, value: string | undefined): readonly (readonly [string, string])[] {
  return value === undefined || value === "" ? [] : [[label, value]];
}

function section(title: string, lines: readonly (readonly [string, string])[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:\n${pairs(lines, "  ")}`];
}
