import { createInterface } from "node:readline/promises";
import { kinds, type Restore } from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { cancelPatch } from "../../kinds/index.ts";
import { resourceOf } from "../../kube/index.ts";
import { openCluster } from "../cluster.ts";
import { given, type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { chosenRestores } from "./get.ts";

const restores = resourceOf(kinds.Restore);
const over = ["Completed", "PartiallyFailed", "Failed", "FailedValidation"];

/** Deletes restores; the operator removes their files, then lets them go. */
export async function deleteRestores(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const ways = [input.args.length > 0, given(input, "all"), text(input, "selector") !== undefined];
  if (ways.filter(Boolean).length !== 1) {
    throw new AppError("USAGE", "which restores? names, --selector or --all, one of them", { retry: false });
  }
  const cluster = await openCluster(input, io);
  try {
    const doomed = await chosenRestores(cluster, input, signal);
    if (!given(input, "confirm") && !(await confirmed(doomed, io))) return;
    for (const { metadata } of doomed) {
      const { name, namespace, uid } = metadata;
      await cluster.client.delete(restores, name, { namespace, uid }, signal);
      io.err(`the deletion of restore "${name}" was requested\n`);
    }
  } finally {
    cluster.client.close();
  }
}

/** Asks a restore to stop. */
export async function cancelRestore(input: Input, io: Io, signal: AbortSignal): Promise<void> {
  const { client, namespace } = await openCluster(input, io);
  const [name = ""] = input.args;
  try {
    const { status } = await client.get<Restore>(restores, name, { namespace }, signal);
    const phase = status?.phase ?? "New";
    if (over.includes(phase)) {
      throw new AppError("USAGE", `restore "${name}" has ended as ${phase}: there is nothing to cancel`, {
        retry: false,
      });
    }
    const body = cancelPatch("Restore");
    await client.patch(restores, name, { type: "merge", body }, { namespace }, signal);
    io.err(`restore "${name}" was asked to stop\n`);
  } finally {
    client.close();
  }
}

async function confirmed(doomed: readonly Restore[], io: Io): Promise<boolean> {
  if (io.terminal === undefined) {
    throw new AppError("USAGE", "nobody can be asked here: --confirm deletes without asking", {
      retry: false,
    });
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const names = doomed.map(({ metadata }) => metadata.name).join(", ");
    return /^y(es)?$/i.test((await lines.question(`Delete ${names}? (y/N) `)).trim());
  } finally {
    lines.close();
  }
}
