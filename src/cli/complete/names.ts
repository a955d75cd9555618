import { type KubeObject, kinds } from "../../api/index.ts";
import { builtIn, type Client, contextNames, type Resource, resourceOf } from "../../kube/index.ts";
import { withCluster } from "../cluster.ts";
import { type Input, text } from "../command.ts";
import type { Io } from "../io.ts";
import { clean } from "../render/text.ts";
import type { Candidate, Wanted } from "./candidates.ts";

/** Whoever presses a key waits so long at most. */
const limitMs = 2_000;
/** More names than that help nobody. */
const most = 200;

const resources: Readonly<Record<string, Resource>> = {
  actionset: resourceOf(kinds.ActionSet),
  backup: resourceOf(kinds.Backup),
  blueprint: resourceOf(kinds.Blueprint),
  cluster: resourceOf(kinds.MigCluster),
  drill: resourceOf(kinds.Drill),
  location: resourceOf(kinds.BackupStorageLocation),
  migration: resourceOf(kinds.MigMigration),
  namespace: builtIn.namespaces,
  plan: resourceOf(kinds.MigPlan),
  profile: resourceOf(kinds.Profile),
  repo: resourceOf(kinds.BackupRepository),
  restore: resourceOf(kinds.Restore),
  schedule: resourceOf(kinds.Schedule),
  "snapshot-location": resourceOf(kinds.VolumeSnapshotLocation),
  storage: resourceOf(kinds.MigStorage),
};
const followed: readonly string[] = ["backup", "restore", "actionset", "migration"];

/** Names from the cluster that the words mean; none, without a word, when it cannot be asked. */
export async function namesFor(
  { noun, prefix }: Wanted,
  input: Input,
  io: Io,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const soon = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
  try {
    const found = noun === "context" ? await contexts(input, io) : await objects(noun, input, io, soon);
    return found
      .slice(0, most)
      .map(({ word, about }) => ({ word: `${prefix}${clean(word)}`, about: clean(about) }));
  } catch {
    return []; // a key that does nothing is better than an error in the middle of a line
  }
}

async function contexts(input: Input, io: Io): Promise<readonly Candidate[]> {
  const names = await contextNames({ kubeconfig: text(input, "kubeconfig"), env: io.env });
  return names.map((word) => ({ word, about: "context" }));
}

function objects(noun: string, input: Input, io: Io, signal: AbortSignal): Promise<readonly Candidate[]> {
  return withCluster(input, io, async ({ client, namespace }) => {
    if (noun !== "operation") return listed(client, noun, namespace, signal);
    const all = await Promise.all(followed.map((one) => listed(client, one, namespace, signal)));
    return all.flatMap((found, i) =>
      found.map(({ word, about }) => ({ word: `${followed[i]}/${word}`, about })),
    );
  });
}

async function listed(
  client: Client,
  noun: string,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  const resource = resources[noun];
  if (!resource) return [];
  const place = resource.namespaced ? { namespace } : {};
  const found = await client.list<KubeObject & { readonly status?: unknown }>(resource, place, signal);
  return found.map(({ metadata, status }) => ({ word: metadata.name, about: phaseOf(status) || noun }));
}

function phaseOf(status: unknown): string {
  const { phase, state } = (status ?? {}) as { readonly phase?: unknown; readonly state?: unknown }; // any kind's
  return typeof phase === "string" ? phase : typeof state === "string" ? state : "";
}
