import { type ActionSet, kinds, parseTimeMs, readActionProgress } from "../../api/index.ts";
import { resourceOf, systemClock } from "../../kube/index.ts";
import { formatBytes } from "../../progress/index.ts";
import { age } from "../backup/words.ts";
import { type ChosenCluster, withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { type ListStyle, printObjects } from "../objects.ts";
import { table } from "../render/table.ts";
import { describeText } from "./describe-text.ts";

const actionSets = resourceOf(kinds.ActionSet);

/** Lists ActionSets, as a table or as data. */
export async function getActionSets(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosen(cluster, input, signal);
    await printObjects(found, actionSets, { input, io }, (all, style) =>
      actionSetTable(all, systemClock.now(), style),
    );
  });
}

/** Prints everything about ActionSets, their phases as a tree. */
export async function describeActionSets(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosen(cluster, input, signal);
    io.out(found.map((set) => describeText(set, io.color)).join("\n"));
  });
}

/** The table of `actionset get`. */
export function actionSetTable(
  found: readonly ActionSet[],
  nowMs: number,
  { columns }: Pick<ListStyle, "columns"> = {},
): string {
  const rows = found.map(({ metadata, status }) => {
    const { percentCompleted = "", runningPhase = "", runningPhases } = status?.progress ?? {};
    const { uploadedBytes, downloadedBytes } = readActionProgress(status?.progress);
    const bytes = uploadedBytes ?? downloadedBytes;
    const createdMs = parseTimeMs(metadata.creationTimestamp);
    return [
      metadata.name,
      status?.state ?? "new",
      percentCompleted === "" ? "" : `${percentCompleted}%`,
      (runningPhases ?? [runningPhase]).join(","),
      bytes === undefined ? "" : formatBytes(bytes),
      (status?.actions ?? []).map(({ name = "" }) => name).join(","),
      createdMs === undefined ? "" : age(nowMs - createdMs),
    ];
  });
  return table(["NAME", "STATE", "PROGRESS", "RUNNING", "MOVED", "ACTIONS", "AGE"], rows, { columns });
}

async function chosen(
  { client, namespace }: ChosenCluster,
  input: Input,
  signal: AbortSignal,
): Promise<ActionSet[]> {
  if (input.args.length > 0) {
    return Promise.all(
      input.args.map((name) => client.get<ActionSet>(actionSets, name, { namespace }, signal)),
    );
  }
  const labelSelector = text(input, "selector");
  const all = await client.list<ActionSet>(actionSets, { namespace, labelSelector }, signal);
  return all.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}
