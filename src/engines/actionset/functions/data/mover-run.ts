import { createHash } from "node:crypto";
import { AppError } from "../../../../errors.ts";
import type { Work } from "../../../../kinds/index.ts";
import { isAlreadyExists, isNotFound, type Mask } from "../../../../kube/index.ts";
import { isRecord, type Json, plainText } from "../../args.ts";
import { isCanceled } from "../../canceled.ts";
import { resources } from "../../core-objects.ts";
import { patiently } from "../../patience.ts";
import { PhaseOutput } from "../../phase-output.ts";
import { labelsOf } from "../../pod/identity.ts";
import { type Job, runJob } from "../../pod/job.ts";
import { moverContext, podManifest } from "../../pod/pod-spec.ts";
import type { Output } from "../../status.ts";
import type { Call } from "../call.ts";
import { type ExecPlace, execute } from "../kube-exec.ts";
import { complete } from "../kube-task.ts";
import { type MoverScript, resultMark, waitMark } from "./script.ts";

/** What a script of movers ended with. */
export interface MoverResult {
  readonly mover: "kopia" | "restic";
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
  const wanted = {
    prefix: pod.prefix,
    namespace: pod.namespace,
    image: pod.image,
    command: ["sh", "-c", script.text],
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
        await putSecret(call, pod.namespace, envSecret, script.env, pod.part);
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
  readonly #place: string;
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
    this.#onWaiting = onWaiting;
    this.#output = new PhaseOutput((news) => {
      this.#sentBytes = news.uploadedBytes ?? this.#sentBytes;
      onProgress({ ...news, heardAt: this.#heardAt });
    }, mask);
  }

  take(line: string): void {
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
      mover: this.#mover === "restic" ? "restic" : "kopia",
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
  await patiently(deps.clock, put, signal);
}

async function deleteSecret({ deps, signal }: Call, namespace: string, name: string): Promise<void> {
  const until = signal.aborted ? AbortSignal.timeout(60_000) : signal;
  await patiently(
    deps.clock,
    () => deps.client.delete(resources.secrets, name, { namespace }, until),
    until,
  ).catch((error: unknown) => {
    if (!isNotFound(error)) throw error;
  });
}

/** A size as restic prints it, which is how outputs give sizes. */
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
