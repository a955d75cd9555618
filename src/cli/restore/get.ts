import { kinds, type Restore, selectorQuery } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { itemWords, listWords, moment, selectorWords, took } from "../backup/words.ts";
import { type ChosenCluster, withCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { chosenObjects, type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";

const restores = resourceOf(kinds.Restore);

/** Lists restores, as a table or as data. */
export async function getRestores(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosenRestores(cluster, input, signal);
    await printObjects(found, restores, { input, io }, restoreTable);
  });
}

/** The restores that arguments and `--selector` name; all, by name, when they name none. */
export async function chosenRestores(
  cluster: ChosenCluster,
  input: Input,
  signal: AbortSignal,
): Promise<Restore[]> {
  const found = await chosenObjects<Restore>(cluster, restores, input, signal);
  if (input.args.length > 0) return found;
  return found.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The table of `restore get`, with upstream's columns; wide with what was restored and how long it took. */
export function restoreTable(found: readonly Restore[], { wide, columns }: ListStyle): string {
  const headings = [
    "NAME",
    "BACKUP",
    "STATUS",
    "STARTED",
    "COMPLETED",
    "ERRORS",
    "WARNINGS",
    "CREATED",
    "SELECTOR",
    ...(wide ? ["NAMESPACES", "ITEMS", "TOOK"] : []),
  ];
  const rows = found.map(({ metadata, spec, status }) => [
    metadata.name,
    spec?.backupName ?? "",
    (metadata.deletionTimestamp ?? null) === null ? (status?.phase ?? "New") : "Deleting",
    momentOrNil(status?.startTimestamp),
    momentOrNil(status?.completionTimestamp),
    String(status?.errors ?? 0),
    String(status?.warnings ?? 0),
    momentOrNil(metadata.creationTimestamp),
    selectorWords(spec?.labelSelector, selectorQuery),
    ...(wide ? [listWords(spec?.includedNamespaces, "*"), itemWords(status?.progress), took(status)] : []),
  ]);
  return table(headings, rows, { columns });
}

function momentOrNil(text: string | null | undefined): string {
  return text == null ? "<nil>" : moment(text);
}
