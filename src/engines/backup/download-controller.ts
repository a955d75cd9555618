import {
  type Backup,
  type BackupStorageLocation,
  type DownloadRequest,
  kinds,
  liveLogAnnotation,
  parseTimeMs,
  type Restore,
} from "../../api/index.ts";
import { AppError } from "../../errors.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import { checkKey, downloadKey } from "../../store/index.ts";
import { timestamp } from "./admission.ts";
import type { BackupDeps } from "./deps.ts";
import { eachObject } from "./each-object.ts";
import { tellFollower } from "./log-follower.ts";
import { ignoreNotFound } from "./tolerate.ts";

const backups = resourceOf(kinds.Backup);
const restores = resourceOf(kinds.Restore);
const locations = resourceOf(kinds.BackupStorageLocation);
const requests = resourceOf(kinds.DownloadRequest);
const ttlSeconds = 600;
/** A request that could not be answered for so long is waited for by nobody. */
const unansweredMs = 3600_000;
/** Long timers are cut, so that a clock that was set is noticed. */
const longestMs = 3600_000;
/** Why a request gets no link. */
const refusedAnnotation = "headway.dev/refused";

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
  const follower = await tellFollower(deps, request, signal);
  if (follower?.do === "wait") return follower.outcome;
  const left = untilCollectedMs(request, clock.now());
  if (left <= 0 || follower?.do === "delete") {
    await client.delete(requests, name, { namespace }, signal).catch(ignoreNotFound);
    return undefined;
  }
  if (isAnswered(request)) return { againAfterMs: Math.min(left, longestMs) };
  const answer = await answerTo(deps, request, signal);
  const expiration = timestamp(clock.now() + ttlSeconds * 1000);
  // Upstream's schema has no place for a refusal; with an expiration alone the request is cleaned up all the same.
  const annotations = {
    ...("why" in answer && { [refusedAnnotation]: answer.why }),
    ...(follower?.last !== undefined && { [liveLogAnnotation]: follower.last }),
  };
  const status =
    "url" in answer ? { phase: "Processed", downloadURL: answer.url, expiration } : { expiration };
  const body = { ...(Object.keys(annotations).length > 0 && { metadata: { annotations } }), status };
  if ("why" in answer) deps.log("warning", `download request "${name}" has no answer: ${answer.why}`);
  await client.patch(requests, name, { type: "merge", body }, { namespace }, signal).catch(ignoreNotFound);
  return { againAfterMs: ttlSeconds * 1000 };
}

function isAnswered({ status }: DownloadRequest): boolean {
  return status?.phase === "Processed" || Boolean(status?.expiration);
}

/** How long a request stays: as its answer says, or for a while in which nobody could answer it. */
export function untilCollectedMs(request: DownloadRequest, nowMs: number): number {
  const { status, metadata } = request;
  if (isAnswered(request)) return (parseTimeMs(status?.expiration) ?? 0) - nowMs;
  return (parseTimeMs(metadata.creationTimestamp) ?? nowMs) + unansweredMs - nowMs;
}

type Answer = { readonly url: string } | { readonly why: string };

/** Throws what may pass; what can never be answered is an answer. */
async function answerTo(deps: BackupDeps, request: DownloadRequest, signal: AbortSignal): Promise<Answer> {
  const { kind, name } = request.spec?.target ?? { kind: "", name: "" };
  const key = keyOf(kind, name);
  if (typeof key !== "string") return key;
  const backup = await backupOf(deps, kind, name, signal);
  if (!backup) return { why: `there is no backup for ${kind} of ${JSON.stringify(name)}` };
  const url = await linkTo(deps, backup, key, signal);
  return url === undefined
    ? { why: `there is no storage location "${backup.spec?.storageLocation ?? ""}"` }
    : { url };
}

function keyOf(kind: string, name: string): string | { readonly why: string } {
  try {
    const key = downloadKey(kind, name);
    return key === undefined ? { why: `there are no files of kind ${JSON.stringify(kind)}` } : checkKey(key);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { why: error.message };
  }
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
