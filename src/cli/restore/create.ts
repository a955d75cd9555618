import { type Backup, kinds, type Restore, veleroNames } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { builtIn, type Client, labelValue, resourceOf } from "../../kube/index.ts";
import { type ChosenCluster, openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { demandNamed, isPrinted, makeOrShow, type Named } from "../make.ts";
import { metadataOf, nameFrom, restoreSpecOf } from "./spec.ts";

const restores = resourceOf(kinds.Restore);

/** Makes a Restore from the flags, or prints it with `-o`, or tells what it would do; `--wait` stays until it has ended. */
export async function createRestore(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const { client, namespace } = await openCluster(input, io);
  try {
    const restore = await wantedRestore(input, { client, namespace }, signal);
    const { name } = restore.metadata;
    if (!isPrinted(input)) await demandNamed(client, namespace, namedBy(input), signal);
    if (text(input, "dry-run") === "plan") {
      const { showPlan } = await import("./plan.ts");
      return await showPlan(restore, { client, namespace }, { input, io }, signal);
    }
    const make = (options: { readonly dryRun: boolean }) =>
      client.create<Restore>(restores, restore, options, signal);
    if (!(await makeOrShow([restore], restores, { input, io }, make))) return 0;
    io.err(`restore "${name}" was requested\n`);
    if (!given(input, "wait")) {
      io.err(`\`headway restore describe ${name}\` and \`headway watch restore/${name}\` tell more\n`);
      return 0;
    }
    const { waitForEnd } = await import("../watch/wait.ts");
    return await waitForEnd({ kind: "restore", namespace, name }, input, io, signal);
  } finally {
    client.close();
  }
}

/** The Restore that the flags stand for. */
export async function wantedRestore(
  input: Input,
  { client, namespace }: ChosenCluster,
  signal: AbortSignal,
): Promise<Restore> {
  const asked = restoreSpecOf(input);
  const spec = given(input, "allow-partially-failed")
    ? await newestOf(client, namespace, asked, signal)
    : asked;
  const name =
    input.args[0] ?? nameFrom(text(input, "from-backup") ?? text(input, "from-schedule") ?? "", Date.now());
  return {
    apiVersion: "velero.io/v1",
    kind: "Restore",
    metadata: { name, namespace, ...metadataOf(input) },
    spec,
  };
}

/** What the flags of a restore name. */
export function namedBy(input: Input): readonly Named[] {
  const [backups, schedules] = [resourceOf(kinds.Backup), resourceOf(kinds.Schedule)];
  return [
    { word: "backup", resource: backups, name: text(input, "from-backup") },
    { word: "schedule", resource: schedules, name: text(input, "from-schedule") },
    ...["resource-policies-configmap", "resource-modifier-configmap"].map((flag) => ({
      word: "ConfigMap",
      resource: builtIn.configMaps,
      name: text(input, flag),
    })),
  ];
}

/** The newest backup of the schedule that ended well or partly well, in place of the schedule. */
async function newestOf(
  client: Client,
  namespace: string,
  spec: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  const { scheduleName, ...rest } = spec;
  if (typeof scheduleName !== "string") {
    throw new AppError("USAGE", "--allow-partially-failed goes with --from-schedule", { retry: false });
  }
  const labelSelector = `${veleroNames.scheduleName}=${labelValue(scheduleName)}`;
  const all = await client.list<Backup>(resourceOf(kinds.Backup), { namespace, labelSelector }, signal);
  const [newest] = all
    .filter(({ status }) => status?.phase === "Completed" || status?.phase === "PartiallyFailed")
    .toSorted((a, b) => ((a.status?.startTimestamp ?? "") < (b.status?.startTimestamp ?? "") ? 1 : -1));
  if (newest === undefined) {
    throw new AppError("USAGE", `schedule "${scheduleName}" has no backup that ended`, { retry: false });
  }
  return { ...rest, backupName: newest.metadata.name };
}
