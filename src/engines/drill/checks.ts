import { type Drill, type KubeObject, selectorQuery } from "../../api/index.ts";
import { messageOf } from "../../errors.ts";
import { builtIn, type Client } from "../../kube/index.ts";
import type { RunInPod } from "./deps.ts";
import { drillNames } from "./names.ts";
import { ignoreExisting, ignoreNotFound } from "./resources.ts";
import { isReady, type PodFacts } from "./workloads.ts";

/** A check of the user's. */
export type UserCheck = NonNullable<NonNullable<Drill["spec"]>["checks"]>[number];

/** How a try went: `over` means that no further try will change it. */
export interface Attempt {
  readonly passed: boolean;
  readonly over: boolean;
  readonly message: string;
}

/** Where a check is done, and with whose rights. */
export interface CheckPlace {
  readonly actor: Client;
  readonly run: RunInPod;
  readonly namespace: string;
  readonly uid: string;
  /** One try may take so long. */
  readonly tryMs: number;
}

/** No try takes longer, so that a drill that is deleted is not kept for long. */
export const longestTryMs = 30_000;
/** As much of an answer is looked at. */
const bodyBytes = 64 * 1024;
const shownChars = 300;

/** Tries a check once. */
export async function tryCheck(check: UserCheck, place: CheckPlace, signal: AbortSignal): Promise<Attempt> {
  if (check.job) return tryJob(check.name, check.job.template, place, signal);
  const target = check.exec ?? check.http;
  const pod = await podOf(target ?? {}, place, signal);
  if (!pod) return { passed: false, over: false, message: "there is no ready pod for it" };
  if (check.exec) return tryExec(check.exec, pod, place, signal);
  return check.http
    ? tryHttp(check.http, pod, place, signal)
    : { passed: false, over: true, message: "the check says neither exec, http nor job" };
}

async function podOf(
  { pod, selector }: Pick<NonNullable<UserCheck["exec"]>, "pod" | "selector">,
  { actor, namespace }: CheckPlace,
  signal: AbortSignal,
): Promise<PodFacts | undefined> {
  if (pod !== undefined && pod !== "") {
    return actor.get<PodFacts>(builtIn.pods, pod, { namespace }, signal).catch(ignoreNotFound);
  }
  const labelSelector = selector ? selectorQuery(selector) : undefined;
  return (await actor.list<PodFacts>(builtIn.pods, { namespace, labelSelector }, signal)).find(isReady);
}

async function tryExec(
  { container, command }: NonNullable<UserCheck["exec"]>,
  { metadata, spec }: PodFacts,
  { run, namespace, tryMs }: CheckPlace,
  signal: AbortSignal,
): Promise<Attempt> {
  const where = { namespace, pod: metadata.name, container: container ?? spec?.containers?.[0]?.name ?? "" };
  try {
    const { exitCode, stdout, stderr } = await run(where, command, tryMs, signal);
    const said = (stderr || stdout).trim().slice(0, shownChars);
    const message = `exit ${exitCode}${said === "" ? "" : `: ${said}`}`;
    return { passed: exitCode === 0, over: exitCode === 0, message };
  } catch (error) {
    if (signal.aborted) throw error;
    return { passed: false, over: false, message: messageOf(error).slice(0, shownChars) };
  }
}

async function tryHttp(
  { port, path = "/", status: want, contains }: NonNullable<UserCheck["http"]>,
  { status }: PodFacts,
  { tryMs }: CheckPlace,
  signal: AbortSignal,
): Promise<Attempt> {
  const ip = status?.podIP ?? "";
  if (ip === "") return { passed: false, over: false, message: "the pod has no address yet" };
  const host = ip.includes(":") ? `[${ip}]` : ip;
  const url = new URL(path.startsWith("/") ? path : `/${path}`, `http://${host}:${port}`);
  try {
    const both = AbortSignal.any([signal, AbortSignal.timeout(tryMs)]);
    const answer = await fetch(url, { redirect: "manual", signal: both });
    const body = await beginning(answer);
    const isRight = want === undefined ? answer.status >= 200 && answer.status < 400 : answer.status === want;
    const hasText = contains === undefined || body.includes(contains);
    const text = hasText ? "" : `, without "${contains}"`;
    return {
      passed: isRight && hasText,
      over: isRight && hasText,
      message: `status ${answer.status}${text}`,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const cause = error instanceof Error && error.cause ? `: ${messageOf(error.cause)}` : "";
    return { passed: false, over: false, message: `${messageOf(error)}${cause}`.slice(0, shownChars) };
  }
}

async function beginning(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= bodyBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, bodyBytes).toString("utf8");
}

interface JobFacts extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

async function tryJob(
  check: string,
  template: Readonly<Record<string, unknown>>,
  { actor, namespace, uid }: CheckPlace,
  signal: AbortSignal,
): Promise<Attempt> {
  const name = `drill-check-${check.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`
    .slice(0, 50)
    .replace(/-+$/, "");
  const found = await actor.get<JobFacts>(builtIn.jobs, name, { namespace }, signal).catch(ignoreNotFound);
  if (!found) {
    const metadata = { name, namespace, labels: { [drillNames.uid]: uid } };
    const job = { apiVersion: "batch/v1", kind: "Job", metadata, spec: { backoffLimit: 0, template } };
    await actor.create(builtIn.jobs, job, {}, signal).catch(ignoreExisting);
    return { passed: false, over: false, message: "the Job was made" };
  }
  const ended = found.status?.conditions?.find(
    ({ type, status }) => status === "True" && (type === "Complete" || type === "Failed"),
  );
  if (!ended) return { passed: false, over: false, message: "the Job runs" };
  const passed = ended.type === "Complete";
  return {
    passed,
    over: true,
    message: passed ? "the Job completed" : `the Job failed: ${ended.message ?? ""}`,
  };
}
