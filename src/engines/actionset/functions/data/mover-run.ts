import { createHash } from "node:crypto";
import { AppError } from "../../../../errors.ts";
import type { Work } from "../../../../kinds/index.ts";
import { isAlreadyExists, isNotFound, type Mask, patiently } from "../../../../kube/index.ts";
import {
  definitionOf,
  type MoverKind,
  moverKind,
  type ProcessLine,
  readProcessLine,
  resultMark,
  type ShellSummary,
  silenceOf,
  totalMark,
  usualMover,
  Vitals,
  waitMark,
} from "../../../../movers/index.ts";
import { isRecord, type Json, plainText } from "../../args.ts";
import { isCanceled } from "../../canceled.ts";
import { resources } from "../../core-objects.ts";
import { PhaseOutput } from "../../phase-output.ts";
import { labelsOf } from "../../pod/identity.ts";
import { type Job, runJob } from "../../pod/job.ts";
import { moverContext, podManifest } from "../../pod/pod-spec.ts";
import type { Output } from "../../status.ts";
import type { ActionOptions, Call } from "../call.ts";
import { type ExecPlace, execute } from "../kube-exec.ts";
import { complete } from "../kube-task.ts";
import type { MoverScript } from "./script.ts";

/** The hidden command that does a task, and the variable that holds it. */
const taskCommand = "data-task";
const taskVariable = "HEADWAY_TASK";

/** What a script of movers ended with. */
export interface MoverResult {
  readonly mover: MoverKind;
  readonly json: Json;
  /** Outputs that the command printed itself. */
  readonly output: Output;
  /** What was sent to the store, as far as the mover told. */
  readonly sentBytes: number | undefined;
}

/** A pod in which a script of movers runs. */
export interface MoverPod {
  readonly prefix: string;
  readonly namespace: string;
  readonly image: string;
  readonly volumes?: Readonly<Record<string, string>>;
  readonly readOnlyClaims?: readonly string[];
  readonly part?: string;
  /** Doing it twice does no harm. */
  readonly repeatable?: boolean;
  readonly onProgress: (news: Work) => void;
  readonly onWaiting?: Job["onWaiting"];
}

/** Runs a script in a pod of its own. The pod's log is its progress, so a restart of the operator loses nothing. */
export async function runInPod(call: Call, pod: MoverPod, script: MoverScript): Promise<MoverResult> {
  const { deps, signal } = call;
  learnPasswords(call.mask, script);
  const onWaiting = pod.onWaiting ?? ((...why: Why) => call.progress.update(waitOf(...why)));
  const reading = new Reading(call, script.place, pod.onProgress, onWaiting);
  const envSecret = secretName(call, pod.part);
  const { command, env } = startOf(deps.options, pod.image, script);
  const wanted = {
    prefix: pod.prefix,
    namespace: pod.namespace,
    image: pod.image,
    command,
    ...(pod.volumes && { volumes: pod.volumes }),
    ...(pod.readOnlyClaims && { readOnlyClaims: pod.readOnlyClaims }),
    envSecret,
    securityContext: moverContext,
  };
  try {
    await runJob(call, {
      namespace: pod.namespace,
      container: "container",
      part: pod.part,
      repeatable: pod.repeatable,
      manifest: async () => {
        await putSecret(call, pod.namespace, envSecret, env, pod.part);
        return podManifest(complete(call, wanted, pod.part), deps.options.podDefaults);
      },
      onLine: (line) => reading.take(line),
      onWaiting,
      onRunning: () => pod.onProgress({ step: "running" }),
      onEnded: async ({ failure, pod: name }) => {
        if (failure !== undefined) throw reading.failed(`pod "${name}": ${failure}`);
      },
    });
  } finally {
    if (!signal.aborted || isCanceled(signal)) await deleteSecret(call, pod.namespace, envSecret);
  }
  return reading.result();
}

/** How the work is started in an image: by the program of ours where that is in it, else by a shell. Secrets are variables. */
export function startOf(
  { own }: Pick<ActionOptions, "own">,
  image: string,
  { text, env, task }: MoverScript,
): { readonly command: readonly string[]; readonly env: Readonly<Record<string, string>> } {
  if (own === undefined || image !== own.image || task === undefined)
    return { command: ["sh", "-c", text], env };
  return { command: [...own.command, taskCommand], env: { [taskVariable]: JSON.stringify(task) } };
}

/** What a result says of a snapshot: the program of ours says it as it is, a script in its mover's words. */
export function summaryOf({ mover, json }: Pick<MoverResult, "mover" | "json">): ShellSummary {
  const told = json["snapshot"];
  if (!isRecord(told)) return definitionOf(mover).shell.summary(json);
  const known = (name: string) => (told[name] === undefined ? undefined : countOf(told[name]));
  return {
    id: plainText(told["id"]),
    files: countOf(told["files"]),
    bytes: countOf(told["bytes"]),
    addedBytes: known("addedBytes"),
    storedBytes: known("storedBytes"),
    failed: countOf(told["failed"]),
  };
}

/** Runs a script in a container that is there already; its secrets come through standard input. */
export async function runByExec(
  call: Call,
  place: ExecPlace,
  script: MoverScript,
  onProgress: (news: Work) => void,
): Promise<MoverResult> {
  learnPasswords(call.mask, script);
  const reading = new Reading(call, script.place, onProgress, (...why) => onProgress(waitOf(...why)));
  const variables = Object.entries(script.env).map(([name, value]) => `${name}=${value}\n`);
  async function* stdin() {
    yield Buffer.from(`${variables.join("")}END\n`);
  }
  const read = `while IFS= read -r hw_line && [ "$hw_line" != END ]; do export "$hw_line"; done`;
  const command = ["sh", "-c", `${read}\n${script.text}`];
  await execute(call, place, command, reading, stdin());
  return reading.result();
}

/** The key of a repository may come from an argument, so that no Secret has taught it. */
function learnPasswords(mask: Mask, { env }: MoverScript): void {
  for (const [name, value] of Object.entries(env)) if (name.endsWith("_PASSWORD")) mask.learn(value);
}

type Why = Parameters<Job["onWaiting"]>;

/** What a phase waits for, as its progress has it. */
export function waitOf(...[waitingFor, waitingCause]: Why): Work {
  return { waitingFor, waitingCause };
}

/** Reads what a script prints: progress, outputs and, at the end, its result. */
class Reading {
  readonly #mask: Mask;
  readonly #now: () => number;
  readonly #output: PhaseOutput;
  #line = "";
  #heardAt = 0;
  #mover = "";
  #json = "";
  #sentBytes: number | undefined;
  readonly #vitals = new Vitals();
  /** What a mover will write that does not say how far it is. */
  #totalBytes: number | undefined;
  readonly #place: string;
  readonly #onProgress: (news: Work) => void;
  readonly #onWaiting: Job["onWaiting"];

  constructor(
    { mask, deps }: Pick<Call, "mask" | "deps">,
    place: string,
    onProgress: (news: Work) => void,
    onWaiting: Job["onWaiting"],
  ) {
    this.#mask = mask;
    this.#now = () => deps.clock.now();
    this.#place = place;
    this.#onProgress = onProgress;
    this.#onWaiting = onWaiting;
    this.#output = new PhaseOutput((news) => {
      this.#sentBytes = news.uploadedBytes ?? this.#sentBytes;
      onProgress({ ...news, heardAt: this.#heardAt });
    }, mask);
  }

  take(line: string): void {
    const process = readProcessLine(line);
    if (process) return this.#look(process);
    if (line.startsWith(totalMark)) {
      this.#totalBytes = countOf(line.slice(totalMark.length).trim()) || undefined;
      return;
    }
    // The script repeats the mover's newest line: only another one is a sign of life.
    if (line !== this.#line) this.#heardAt = this.#now();
    this.#line = line;
    if (line.startsWith(waitMark)) return this.#wait(Number(line.slice(waitMark.length)));
    const at = line.indexOf(resultMark);
    if (at < 0) return this.#output.take(line);
    const [, mover = "", json = ""] = /^ ?(\w+) ?(.*)$/s.exec(line.slice(at + resultMark.length)) ?? [];
    this.#mover = mover;
    this.#json = json;
  }

  /** What the mover's process does, once a second: one that moves bytes is alive, whatever it prints. */
  #look({ look, connection }: ProcessLine): void {
    const { writtenBytes } = look;
    this.#vitals.take(look, this.#now());
    if (connection) this.#vitals.drains(connection, this.#now());
    const { busyAt, stoppedAt } = this.#vitals;
    // A repository in a folder is at the end of no connection; a script does not look for one.
    const isConnected = connection?.isOpen ?? !this.#place.startsWith("/");
    const signs = { startedAt: 0, heardAt: this.#heardAt, gaps: [], busyAt, stoppedAt, isConnected };
    const total = this.#totalBytes;
    const done = total === undefined ? undefined : Math.min(writtenBytes, total);
    this.#onProgress({
      busyAt,
      waitingCause: silenceOf(signs, this.#now())?.cause,
      ...(total !== undefined &&
        done !== undefined && {
          progress: { unit: "bytes", done, total },
          downloadedBytes: done,
          downloadTotalBytes: total,
        }),
    });
  }

  #wait(seconds: number): void {
    if (!(seconds > 0)) return this.#onWaiting(undefined);
    this.#onWaiting(
      `the repository at ${this.#place} has not answered for ${seconds} s`,
      "store-unreachable",
    );
  }

  get output(): Output {
    return this.#output.output;
  }

  get lastWords(): string {
    return this.#output.lastWords;
  }

  failed(what: string): AppError {
    const said = this.lastWords;
    return new AppError("ACTION_COMMAND", `${what}${said === "" ? "" : `; its last lines:\n${said}`}`, {
      retry: false,
    });
  }

  result(): MoverResult {
    const json = this.#json === "" ? {} : parse(this.#json, this.#mask);
    return {
      mover: moverKind(this.#mover) ?? usualMover,
      json,
      output: this.output,
      sentBytes: this.#sentBytes,
    };
  }
}

function parse(text: string, mask: Mask): Json {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // told below
  }
  throw new AppError(
    "ACTION_COMMAND",
    `the mover's result cannot be read: ${JSON.stringify(mask.text(text).slice(0, 200))}`,
    { retry: false },
  );
}

function secretName({ identity }: Call, part = ""): string {
  const { uid, action, phase } = identity;
  const hash = createHash("sha256").update(`${uid} ${action} ${phase} ${part}`).digest("hex").slice(0, 12);
  return `headway-action-${hash}`;
}

async function putSecret(
  { deps, identity, signal }: Call,
  namespace: string,
  name: string,
  values: Readonly<Record<string, string>>,
  part = "",
): Promise<void> {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace, labels: labelsOf(identity, part) },
    stringData: values,
  };
  const put = async () => {
    try {
      await deps.client.create(resources.secrets, secret, { namespace }, signal);
    } catch (error) {
      // An operator that died between Secret and pod left it.
      if (!isAlreadyExists(error)) throw error;
      await deps.client.patch(
        resources.secrets,
        name,
        { type: "merge", body: { stringData: values } },
        { namespace },
        signal,
      );
    }
  };
  await patiently(put, deps.clock, signal);
}

async function deleteSecret({ deps, signal }: Call, namespace: string, name: string): Promise<void> {
  const until = signal.aborted ? AbortSignal.timeout(60_000) : signal;
  await patiently(
    () => deps.client.delete(resources.secrets, name, { namespace }, until),
    deps.clock,
    until,
  ).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** A size as outputs give it, in the form that upstream has from its mover. */
export function sizeText(bytes: number): string {
  for (const [unit, power] of [
    ["TiB", 40],
    ["GiB", 30],
    ["MiB", 20],
    ["KiB", 10],
  ] as const) {
    if (bytes >= 2 ** power) return `${(bytes / 2 ** power).toFixed(3)} ${unit}`;
  }
  return `${bytes} B`;
}

/** A number of a result, 0 when it is none. */
export function countOf(value: unknown): number {
  const number = Number(plainText(value));
  return Number.isFinite(number) && number > 0 ? number : 0;
}
