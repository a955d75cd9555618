import { type Backup, kinds, selectorQuery } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { type ChosenCluster, withCluster } from "../cluster.ts";
import { given, type Input } from "../command.ts";
import type { Io } from "../io.ts";
import { chosenObjects, type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";
import { age, itemWords, listWords, moment, selectorWords, took } from "./words.ts";

const backups = resourceOf(kinds.Backup);

/** Lists backups, as a table or as data. */
export async function getBackups(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = sorted(await chosenBackups(cluster, input, signal));
    const labels = given(input, "show-labels");
    await printObjects(found, backups, { input, io }, (all, style) =>
      backupTable(all, Date.now(), { ...style, labels }),
    );
  });
}

/** The backups that arguments and `--selector` name; all when they name none. */
export function chosenBackups(cluster: ChosenCluster, input: Input, signal: AbortSignal): Promise<Backup[]> {
  return chosenObjects<Backup>(cluster, backups, input, signal);
}

/** The table of `backup get`, with upstream's columns; wide with what it holds and how long it took. */
export function backupTable(
  found: readonly Backup[],
  nowMs: number,
  { wide, columns, labels = false }: ListStyle & { readonly labels?: boolean },
): string {
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
    [...headings, ...(wide ? ["NAMESPACES", "ITEMS", "TOOK"] : []), ...(labels ? ["LABELS"] : [])],
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
        ...(wide
          ? [listWords(spec?.includedNamespaces, "*"), itemWords(status?.progress), took(status)]
          : []),
        ...(labels ? [all.join(",") || "<none>"] : []),
      ];
    }),
    { columns },
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
