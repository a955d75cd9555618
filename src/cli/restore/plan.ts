import type { Restore } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import type { RestorePlan } from "../../kinds/index.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { demandNamed } from "../make.ts";
import { namedBy, wantedRestore } from "./create.ts";
import { planExit, planText } from "./plan-text.ts";

/** Tells what a restore would do. */
export async function planRestores(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const [backup] = input.args;
  if (backup !== undefined && text(input, "from-backup") !== undefined)
    throw new AppError("USAGE", "name the backup once: as an argument, or with --from-backup", {
      retry: false,
    });
  const flags = { ...input.flags, ...(backup !== undefined && { "from-backup": backup }) };
  const whole = { ...input, args: [], flags };
  const cluster = await openCluster(input, io);
  try {
    await demandNamed(cluster.client, cluster.namespace, namedBy(whole), signal);
    return await showPlan(await wantedRestore(whole, cluster, signal), cluster, { input, io }, signal);
  } finally {
    cluster.client.close();
  }
}

/** Prints the plan of a restore that may not exist. */
export async function showPlan(
  restore: Restore,
  cluster: ChosenCluster,
  { input, io }: { readonly input: Input; readonly io: Io },
  signal: AbortSignal,
): Promise<number> {
  const { planFor } = await import("../../operator/index.ts");
  const plan = await planFor(restore, { ...cluster, moved: teller(io) }, signal);
  await print(plan, input, io);
  return planExit(plan);
}

async function print(plan: RestorePlan, input: Input, io: Io): Promise<void> {
  const format = text(input, "output") ?? "table";
  if (format === "json" || format === "yaml") {
    const { structured } = await import("../render/structured.ts");
    return io.out(await structured(plan, format));
  }
  const isWide = format === "wide";
  const details = isWide || given(input, "details");
  io.out(planText(plan, { details, ...(io.terminal && !isWide && { columns: io.terminal.columns }) }));
}

/** Says on a terminal how far it is, every thousand items. */
function teller(io: Io): ((done: number, total: number) => void) | undefined {
  if (!io.terminal) return undefined;
  let next = 1_000;
  return (done, total) => {
    if (done < next) return;
    next = done + 1_000;
    io.err(`looked at ${done} of ${total} items\n`);
  };
}
