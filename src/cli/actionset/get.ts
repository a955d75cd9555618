import { type ActionSet, kinds, parseTimeMs, readActionProgress } from "../../api/index.ts";
import { resourceOf, systemClock } from "../../kube/index.ts";
import { formatBytes, formatDuration } from "../../progress/index.ts";
import { type ChosenCluster, withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { table } from "../render/table.ts";
import { describeText } from "./describe-text.ts";

const actionSets = resourceOf(kinds.ActionSet);

/** Lists ActionSets, as a table or as data. */
export async function getActionSets(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosen(cluster, input, signal);
    const format = text(input, "output") ?? "table";
    if (format === "name") io.out(found.map(({ metadata }) => `${metadata.name}\n`).join(""));
    else if (format === "table") io.out(actionSetTable(found, systemClock.now()));
    else {
      const { structured } = await import("../render/structured.ts");
      const one = input.args.length === 1 && found.length === 1;
      io.out(await structured(one ? found[0] : { apiVersion: "v1", kind: "List", items: found }, format));
    }
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
export function actionSetTable(found: readonly ActionSet[], nowMs: number): string {
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
      createdMs === undefined ? "" : formatDuration(Math.max(0, nowMs - createdMs) / 1000),
    ];
  });
  return table(["NAME", "STATE", "PROGRESS", "RUNNING", "MOVED", "ACTIONS", "AGE"], rows);
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
