import { gzipSync } from "node:zlib";
import { type Backup, type BackupStorageLocation, formatTime, type KubeObject } from "../../api/index.ts";
import { builtIn, type Client, type Outcome } from "../../kube/index.ts";
import { backupKey } from "../../store/index.ts";
import type { Failure } from "./blame.ts";
import type { Desk, DrillStatus, StepsSeen } from "./desk.ts";
import { drillNames } from "./names.ts";
import { documentHash, keyOf, makeSigningKey, reportOf, type SigningKey, signedDocument } from "./report.ts";
import { ignoreExisting, ignoreNotFound, resources } from "./resources.ts";

/** Writes the last word of a drill, with the report that proves it. */
export async function finish(desk: Desk, changes: DrillStatus, signal: AbortSignal): Promise<Outcome> {
  const { clock } = desk.deps;
  const now = clock.now();
  const cleanup = desk.step("cleanup");
  const steps: StepsSeen = cleanup ? { cleanup: { state: "completed", finishedAt: now } } : {};
  const { failures = desk.status.failures ?? [] } = changes;
  const isCanceled = desk.status.steps?.some(({ state }) => state === "canceled") === true;
  const phase = failures.length > 0 ? "Failed" : isCanceled ? "Canceled" : "Completed";
  const last: DrillStatus = {
    ...changes,
    phase,
    failures,
    completionTimestamp: formatTime(now),
    message: endWords(phase, failures, desk.status.result),
  };
  const report = reportOf(desk.drill, desk.foreseen(last, steps), undefined);
  const key = await signingKey(desk, signal);
  const document = signedDocument(report, key);
  const where = await keep(desk, { ...desk.status, ...changes }, document, signal);
  await desk.end(
    {
      ...last,
      report: { ...where, sha256: documentHash(document), publicKey: key.publicKey, document },
    },
    steps,
  );
  return undefined;
}

function endWords(phase: string, failures: readonly Failure[], result: DrillStatus["result"]): string {
  if (phase === "Canceled") return "canceled by request";
  const [first] = failures;
  if (first) {
    const more = failures.length > 1 ? `, and ${failures.length - 1} more` : "";
    return `not restorable (${first.part}): ${first.message}${more}`.slice(0, 1_000);
  }
  const { rtoSeconds = 0, volumes = 0, volumesProved = 0 } = result ?? {};
  return `restorable: proved in ${rtoSeconds} s, ${volumesProved} of ${volumes} volumes whole`;
}

interface Keeper extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The key of this namespace, made on first use; its public half lies where everybody may read it. */
async function signingKey({ deps }: Desk, signal: AbortSignal): Promise<SigningKey> {
  const { client, namespace } = deps;
  const metadata = { name: drillNames.key, namespace };
  const read = () =>
    client.get<Keeper>(builtIn.secrets, drillNames.key, { namespace }, signal).catch(ignoreNotFound);
  let secret = await read();
  if (!secret) {
    const { privatePem } = makeSigningKey();
    const data = { "private.pem": Buffer.from(privatePem).toString("base64") };
    const made = { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
    await client.create(builtIn.secrets, made, {}, signal).catch(ignoreExisting);
    secret = await read();
  }
  const key = keyOf(Buffer.from(secret?.data?.["private.pem"] ?? "", "base64").toString("utf8"));
  await publish(client, metadata, key.publicKey, signal);
  return key;
}

async function publish(
  client: Client,
  metadata: { readonly name: string; readonly namespace: string },
  publicKey: string,
  signal: AbortSignal,
): Promise<void> {
  const data = { "public.key": publicKey };
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata, data };
  const { name, namespace } = metadata;
  const found = await client
    .get<Keeper>(builtIn.configMaps, name, { namespace }, signal)
    .catch(ignoreNotFound);
  if (!found) await client.create(builtIn.configMaps, map, {}, signal).catch(ignoreExisting);
  else if (found.data?.["public.key"] !== publicKey) {
    await client.patch(builtIn.configMaps, name, { type: "merge", body: { data } }, { namespace }, signal);
  }
}

/** Lays the report beside the backup; a store that is away costs the copy there, never the result. */
async function keep(
  { deps }: Desk,
  { backupName = "" }: DrillStatus,
  document: string,
  signal: AbortSignal,
): Promise<{ readonly key?: string }> {
  if (backupName === "") return {};
  const { client, namespace, log } = deps;
  const key = backupKey(backupName, "drill");
  try {
    const backup = await client.get<Backup>(resources.backups, backupName, { namespace }, signal);
    const place = backup.spec?.storageLocation ?? "";
    const location = await client.get<BackupStorageLocation>(
      resources.locations,
      place,
      { namespace },
      signal,
    );
    const store = await deps.openStore(location, signal);
    // A backup that is being deleted must not leave a file behind.
    if ((await store.head(backupKey(backupName, "metadata"), signal)) === undefined) return {};
    await store.put(key, gzipSync(document), signal);
    return { key };
  } catch (error) {
    if (signal.aborted) throw error;
    log("warning", `the report of a drill cannot be laid beside backup "${backupName}"`, { error });
    return {};
  }
}
