import {
  type Backup,
  type BackupStorageLocation,
  type DownloadRequest,
  kinds,
  type Restore,
} from "../../api/index.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import { downloadKey } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DownloadRequest);
const ttlSeconds = 600;

/** Answers requests for links to stored files, until the signal fires. */
export function startDownloadController(deps: BackupDeps, signal: AbortSignal): Promise<void> {
  return eachObject<DownloadRequest>(
    deps,
    kinds.DownloadRequest,
    (request, _all, inner) => look(deps, request, inner),
    signal,
  );
}

async function look(deps: BackupDeps, request: DownloadRequest, signal: AbortSignal): Promise<Outcome> {
  const { client, namespace, clock } = deps;
  const { name } = request.metadata;
  if (request.status?.phase === "Processed" || request.status?.expiration) {
    const left = Date.parse(request.status.expiration ?? "") - clock.now();
    if (left > 0) return { againAfterMs: left };
    await client.delete(requests, name, { namespace }, signal).catch(ignoreNotFound);
    return undefined;
  }
  const { kind, name: target } = request.spec?.target ?? { kind: "", name: "" };
  const key = downloadKey(kind, target);
  const backup = key === undefined ? undefined : await backupOf(deps, kind, target, signal);
  const expiration = timestamp(clock.now() + ttlSeconds * 1000);
  const url = key !== undefined && backup ? await linkTo(deps, backup, key, signal) : undefined;
  // Without an answer the asker would wait for ever; with an expiration the request is cleaned up all the same.
  const status = url === undefined ? { expiration } : { phase: "Processed", downloadURL: url, expiration };
  if (url === undefined)
    deps.log("warning", `download request "${name}" asks for what is not there`, { kind, target });
  await client.patch(requests, name, { type: "merge", body: { status } }, { namespace }, signal);
  return { againAfterMs: ttlSeconds * 1000 };
}

async function backupOf(
  deps: BackupDeps,
  kind: string,
  target: string,
  signal: AbortSignal,
): Promise<Backup | undefined> {
  const { client, namespace } = deps;
  let name: string | undefined = target;
  if (kind.startsWith("Restore")) {
    const restore = await client.get<Restore>(restores, target, { namespace }, signal).catch(ignoreNotFound);
    name = restore?.spec?.backupName;
  }
  return name === undefined
    ? undefined
    : client.get<Backup>(backups, name, { namespace }, signal).catch(ignoreNotFound);
}

/** A link even when the object does not exist: who asks turns a 404 into "not found". */
async function linkTo(
  deps: BackupDeps,
  backup: Backup,
  key: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { client, namespace } = deps;
  const name = backup.spec?.storageLocation ?? "";
  const location = await client
    .get<BackupStorageLocation>(locations, name, { namespace }, signal)
    .catch(ignoreNotFound);
  if (!location) return undefined;
  const store = await deps.openStore(location, signal);
  return (await store.signedUrl(key, ttlSeconds)) ?? deps.localUrl(name, key, ttlSeconds);
}
