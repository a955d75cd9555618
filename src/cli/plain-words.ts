import { AppError, exitCodeOf } from "../errors.ts";

/** What the server said, as far as this needs it; a class would cost every command the Kubernetes client. */
interface Refusal {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly about?: { readonly resource: string; readonly name: string };
}

/** The commands for resources, by their plural names. */
const nouns: Readonly<Record<string, string>> = {
  actionsets: "actionset",
  backuprepositories: "repo",
  backups: "backup",
  backupstoragelocations: "location",
  migclusters: "cluster",
  migmigrations: "migration",
  migplans: "plan",
  migstorages: "storage",
  restores: "restore",
  schedules: "schedule",
  volumesnapshotlocations: "snapshot-location",
};

const notInstalled =
  '; has Headway been installed on this cluster? "headway install --apply" brings its kinds';

/** What a person reads of a failure: what is wrong and what to do; a bug also shows where it happened. */
export function plainWords(error: unknown, namespace: string): string {
  if (!(error instanceof AppError)) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const refusal = refusalOf(error);
  return (
    (refusal && refusalWords(refusal, namespace)) ??
    `${error.message}${isKindUnknown(refusal) ? notInstalled : ""}`
  );
}

/** The exit code of a failure; who is not let in does not reach the cluster either. */
export function exitOf(error: unknown): number {
  return error instanceof AppError && refusalOf(error)?.code === 401 ? 3 : exitCodeOf(error);
}

function refusalOf(error: AppError): Refusal | undefined {
  const { status } = error as { readonly status?: Refusal }; // only refusals of the API server have one
  return error.code === "KUBE_API" ? status : undefined;
}

function refusalWords({ code, reason, message, about }: Refusal, namespace: string): string | undefined {
  if (code === 401) {
    return "the cluster does not accept these credentials (Unauthorized): log in again, or name another --context or --kubeconfig";
  }
  if (code === 403 && reason === "Forbidden") return `the cluster does not allow it: ${message}`;
  const noun = nouns[about?.resource ?? ""];
  if (about === undefined || noun === undefined) return undefined;
  const what = `${noun} "${about.name}" in namespace "${namespace}"`;
  if (reason === "NotFound") {
    return `there is no ${what}; \`headway get ${noun}\` lists those that are there, -n names another namespace`;
  }
  return reason === "AlreadyExists" ? `there is a ${what} already: choose another name` : undefined;
}

/** The server does not even know the path: an object that is missing is told with a Status. */
function isKindUnknown(refusal: Refusal | undefined): boolean {
  return refusal?.code === 404 && refusal.reason === "";
}
