import { type Backup, kinds, type Restore, veleroNames } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Client, labelValue, resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { metadataOf, nameFrom, restoreSpecOf } from "./spec.ts";

/** Makes a Restore from the flags, or prints it with `-o`; `--wait` stays until it has ended. */
export async function createRestore(input: Input, io: Io, signal: AbortSignal): Promise<number> {
  const { client, namespace } = await openCluster(input, io);
  const asked = restoreSpecOf(input);
  try {
    const spec = given(input, "allow-partially-failed")
      ? await newestOf(client, namespace, asked, signal)
      : asked;
    const name =
      input.args[0] ?? nameFrom(text(input, "from-backup") ?? text(input, "from-schedule") ?? "", Date.now());
    const restore = {
      apiVersion: "velero.io/v1",
      kind: "Restore",
      metadata: { name, namespace, ...metadataOf(input) },
      spec,
    };
    const format = text(input, "output");
    if (format !== undefined) {
      const { structured } = await import("../render/structured.ts");
      io.out(await structured(restore, format));
      return 0;
    }
    await client.create<Restore>(resourceOf(kinds.Restore), restore, {}, signal);
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
