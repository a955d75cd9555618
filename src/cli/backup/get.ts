import { type Backup, kinds, selectorQuery } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { table } from "../render/table.ts";
import { age, moment, selectorWords } from "./words.ts";

const backups = resourceOf(kinds.Backup);

/** Lists backups, as a table or as data. */
export async function getBackups(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const cluster = await openCluster(input, io);
  try {
    const found = sorted(await chosenBackups(cluster, input, signal));
    const format = text(input, "output") ?? "table";
    if (format === "name") io.out(found.map(({ metadata }) => `${metadata.name}\n`).join(""));
    else if (format === "table") io.out(backupTable(found, Date.now(), given(input, "show-labels")));
    else {
      const { structured } = await import("../render/structured.ts");
      const one = input.args.length === 1 && found.length === 1;
      io.out(await structured(one ? found[0] : { apiVersion: "v1", kind: "List", items: found }, format));
    }
  } finally {
    cluster.client.close();
  }
}

/** The backups that arguments and `--selector` name; all when they name none. */
export async function chosenBackups(
  { client, namespace }: ChosenCluster,
  input: Input,
  signal: AbortSignal,
): Promise<Backup[]> {
  if (input.args.length > 0) {
    return Promise.all(input.args.map((name) => client.get<Backup>(backups, name, { namespace }, signal)));
  }
  return client.list<Backup>(backups, { namespace, labelSelector: text(input, "selector") }, signal);
}

/** The table of `backup get`, with upstream's columns. */
export function backupTable(found: readonly Backup[], nowMs: number, labels = false): string {
  const headings = [
    "NAME",
    "STATUS",
    "ERRORS",
    "WARNINGS",
    "CREATED",
    "EXPIRES",
    "STORAGE LOCATION",
    "QUEUE POSITION",
    "SELECTOR",
  ];
  return table(
    labels ? [...headings, "LABELS"] : headings,
    found.map((backup) => {
      const { metadata, spec, status } = backup;
      const all = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
      return [
        metadata.name,
        metadata.deletionTimestamp ? "Deleting" : status?.phase || "New",
        String(status?.errors ?? 0),
        String(status?.warnings ?? 0),
        moment(status?.startTimestamp),
        expires(backup, nowMs),
        spec?.storageLocation ?? "",
        status?.queuePosition ? String(status.queuePosition) : "",
        selectorWords(spec?.labelSelector, selectorQuery),
        ...(labels ? [all.join(",") || "<none>"] : []),
      ];
    }),
  );
}

function expires({ status }: Backup, nowMs: number): string {
  if (!status?.expiration) return "n/a";
  const left = Date.parse(status.expiration) - nowMs;
  return left >= 0 ? age(left) : `${age(-left)} ago`;
}

/** By name; backups of one schedule newest first. */
export function sorted(found: readonly Backup[]): Backup[] {
  const parts = ({ metadata }: Backup) =>
    /^(.*)-(\d{14})$/.exec(metadata.name) ?? [metadata.name, metadata.name, ""];
  return found.toSorted((a, b) => {
    const [, nameA = "", timeA = ""] = parts(a);
    const [, nameB = "", timeB = ""] = parts(b);
    return nameA === nameB ? (timeA < timeB ? 1 : -1) : nameA < nameB ? -1 : 1;
  });
}
