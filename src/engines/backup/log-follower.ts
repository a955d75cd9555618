import {
  type Backup,
  type DownloadRequest,
  followAnnotation,
  kinds,
  type LiveLines,
  liveLogAnnotation,
  parseTimeMs,
  type Restore,
  readLiveLines,
  readPosition,
} from "../../api/index.ts";
import { isRunEnded } from "../../kinds/index.ts";
import { type Outcome, resourceOf } from "../../kube/index.ts";
import type { BackupDeps } from "./deps.ts";
import { ignoreNotFound } from "./tolerate.ts";

const requests = resourceOf(kinds.DownloadRequest);
/** How often new lines are written. */
const intervalMs = 1_000;
/** A follower who still wants more asks again after this; one who went away costs no more than this. */
const lifeMs = 60_000;

/** What the request of a follower needs next. */
export type Followed =
  | { readonly do: "wait"; readonly outcome: Outcome }
  | { readonly do: "delete" }
  /** No more lines come: it is answered with a link to the stored log, like any other. */
  | { readonly do: "answer"; readonly last?: string | undefined };

/**
 * Tells the lines of a log that is still written in an annotation of the request, so that whoever may ask for stored logs can read it while
 * it grows, through nothing but the API server. Undefined when the request asks for something else.
 */
export async function tellFollower(
  deps: BackupDeps,
  request: DownloadRequest,
  signal: AbortSignal,
): Promise<Followed | undefined> {
  const { client, namespace, clock, liveLogs } = deps;
  const { name, annotations = {}, creationTimestamp } = request.metadata;
  const follow = annotations[followAnnotation];
  const target = request.spec?.target;
  const kind = target && followed[target.kind];
  if (follow === undefined || !kind || !liveLogs || request.status?.expiration) return undefined;
  const now = clock.now();
  if (now - (parseTimeMs(creationTimestamp) ?? now) > lifeMs) return { do: "delete" };
  const told = readLiveLines(annotations[liveLogAnnotation]);
  const early = told ? told.at + intervalMs - now : 0;
  if (early > 0) return { do: "wait", outcome: { againAfterMs: Math.min(early, intervalMs) } };
  const found = await client
    .get<Backup | Restore>(resourceOf(kind), target.name, { namespace }, signal)
    .catch(ignoreNotFound);
  const log = liveLogs.read(found?.metadata.uid ?? "", readPosition(follow));
  const news = newsOf(told, log ?? { run: "", from: 0, lines: [] }, now);
  if (!log?.isOpen && (!found || isRunEnded(found.status))) return { do: "answer", last: news };
  if (news !== undefined) {
    const body = { metadata: { annotations: { [liveLogAnnotation]: news } } };
    await client.patch(requests, name, { type: "merge", body }, { namespace }, signal).catch(ignoreNotFound);
  }
  return { do: "wait", outcome: { againAfterMs: intervalMs } };
}

const followed: Readonly<Record<string, typeof kinds.Backup | typeof kinds.Restore>> = {
  BackupLog: kinds.Backup,
  RestoreLog: kinds.Restore,
};

/** The annotation to write; undefined when the request holds these lines already. */
function newsOf(
  told: LiveLines | undefined,
  { run, from, lines }: Omit<LiveLines, "at">,
  at: number,
): string | undefined {
  if (told && told.run === run && told.from + told.lines.length === from + lines.length) return undefined;
  return JSON.stringify({ run, from, lines, at } satisfies LiveLines);
}
