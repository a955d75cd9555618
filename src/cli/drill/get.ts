import { type Drill, kinds } from "../../api/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import type { Input } from "../command.ts";
import type { Io } from "../io.ts";
import { chosenObjects, printObjects } from "../objects.ts";
import { describeText, drillTable } from "./describe-text.ts";

const drills = resourceOf(kinds.Drill);

/** Lists drills, as a table or as data. */
export async function getDrills(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosenObjects<Drill>(cluster, drills, input, signal);
    await printObjects(found, drills, { input, io }, (all, style) => drillTable(all, Date.now(), style));
  });
}

/** Prints everything about drills. */
export async function describeDrills(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  await withCluster(input, io, async (cluster) => {
    const found = await chosenObjects<Drill>(cluster, drills, input, signal);
    io.out(`${found.map(describeText).join("\n\n\n")}\n`);
  });
}
