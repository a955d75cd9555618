import { kinds, type Restore, selectorQuery } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { moment, selectorWords } from "../backup/words.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { table } from "../render/table.ts";

const restores = resourceOf(kinds.Restore);

/** Lists restores, as a table or as data. */
export async function getRestores(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const cluster = await openCluster(input, io);
  try {
    const found = await chosenRestores(cluster, input, signal);
    const format = text(input, "output") ?? "table";
    if (format === "name") io.out(found.map(({ metadata }) => `${metadata.name}\n`).join(""));
    else if (format === "table") io.out(restoreTable(found));
    else {
      const { structured } = await import("../render/structured.ts");
      const one = input.args.length === 1 && found.length === 1;
      io.out(await structured(one ? found[0] : { apiVersion: "v1", kind: "List", items: found }, format));
    }
  } finally {
    cluster.client.close();
  }
}

/** The restores that arguments and `--selector` name; all when they name none. */
export async function chosenRestores(
  { client, namespace }: ChosenCluster,
  input: Input,
  signal: AbortSignal,
): Promise<Restore[]> {
  if (input.args.length > 0) {
    return Promise.all(input.args.map((name) => client.get<Restore>(restores, name, { namespace }, signal)));
  }
  const all = await client.list<Restore>(
    restores,
    { namespace, labelSelector: text(input, "selector") },
    signal,
  );
  return all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The table of `restore get`, with upstream's columns. */
export function restoreTable(found: readonly Restore[]): string {
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
  ]);
  return table(headings, rows);
}

function momentOrNil(text: string | null | undefined): string {
  return text == null ? "<nil>" : moment(text);
}
