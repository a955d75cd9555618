import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Api } from "../api.ts";
import { isMap, type JsonMap, type KubeObject, listAt, numberAt, same, textAt } from "../object.ts";
import type { EventNote } from "../record.ts";
import type { Tokens } from "../tokens.ts";
import { type Ended, type Isolation, type Running, start } from "./container.ts";
import { environmentOf, expand } from "./environment.ts";
import { LogFile } from "./log-file.ts";
import type { Mount } from "./mounts.ts";
import { type ContainerFacts, knownRestarts, podStatus } from "./pod-status.ts";
import { watchReadiness } from "./probe.ts";
import type { Processes } from "./processes.ts";
import { detachBelow, makeVolumes, NotYet } from "./volumes.ts";

/** What every pod of a node shares. */
export interface NodeDeps {
  readonly api: Api;
  readonly tokens: Tokens;
  readonly podsDir: string;
  readonly isolation: Isolation;
  readonly processes: Processes;
  /** Variables of every container: where the API server is, PATH. */
  readonly env: Readonly<Record<string, string>>;
  event(pod: KubeObject, what: Omit<EventNote, "component" | "host">): void;
}

/** Runs one pod from its volumes to its end. */
export class PodWorker {
  readonly #deps: NodeDeps;
  #pod: KubeObject;
  readonly #inits: ContainerFacts[];
  readonly #mains: ContainerFacts[];
  readonly #running = new Map<string, Running>();
  readonly logs = new Map<string, LogFile>();
  readonly #stop = new AbortController();
  #volumes = new Map<string, string>();
  /** Settles when nothing of the pod runs any more. */
  readonly done: Promise<void>;

  constructor(deps: NodeDeps, pod: KubeObject) {
    this.#deps = deps;
    this.#pod = pod;
    this.#inits = listAt(pod.spec, "initContainers")
      .filter(isMap)
      .map((c) => factsOf(pod, c));
    this.#mains = listAt(pod.spec, "containers")
      .filter(isMap)
      .map((c) => factsOf(pod, c));
    this.done = this.#live();
  }

  /** The process of a running container. */
  processOf(container: string): Running | undefined {
    const facts = [...this.#inits, ...this.#mains].find(({ name }) => name === container);
    return facts?.state.is === "running" ? this.#running.get(container) : undefined;
  }

  /** Asks the containers to end, and makes them after the grace period. */
  async terminate(graceSeconds: number): Promise<void> {
    this.#stop.abort();
    const running = [...this.#running.values()];
    for (const one of running) one.kill("SIGTERM");
    const timer = setTimeout(() => running.forEach((one) => one.kill("SIGKILL")), graceSeconds * 1000);
    // What goes wrong in the pod's life is told by an event, not to whoever ends it.
    await Promise.allSettled([...running.map((one) => one.done), this.done]);
    clearTimeout(timer);
  }

  /** Removes the pod's folder; volumes that outlive it are only taken out of it. */
  clean(): void {
    const folder = join(this.#deps.podsDir, this.#pod.metadata.uid ?? "");
    if (detachBelow(folder)) rmSync(folder, { recursive: true, force: true });
  }

  /** A newer version of the object: labels and annotations may have changed. */
  update(pod: KubeObject): void {
    this.#pod = pod;
  }

  async #live(): Promise<void> {
    try {
      if (this.#wasRunningBefore()) return;
      await this.#prepare();
      for (const facts of this.#inits) await this.#runInit(facts);
      await Promise.all(this.#mains.map((facts) => this.#runMain(facts)));
    } catch (error) {
      if (!this.#stop.signal.aborted && !(error instanceof InitFailed)) throw error;
    } finally {
      this.#report();
    }
  }

  /** A pod that may not be restarted and whose processes died with the previous cluster process has failed. */
  #wasRunningBefore(): boolean {
    const begun = this.#mains.some((facts) => knownRestarts(this.#pod, facts.name).begun);
    if (!begun || textAt(this.#pod.spec, "restartPolicy") !== "Never") {
      for (const facts of this.#mains) if (knownRestarts(this.#pod, facts.name).begun) facts.restarts += 1;
      return false;
    }
    const now = Date.now();
    const ended: Ended = {
      exitCode: 137,
      message: "the cluster was stopped while the container ran",
      startedMs: now,
      finishedMs: now,
    };
    for (const facts of [...this.#inits, ...this.#mains]) {
      facts.state = { is: "ended", ended: this.#inits.includes(facts) ? { ...ended, exitCode: 0 } : ended };
    }
    return true;
  }

  async #prepare(): Promise<void> {
    for (let said = ""; ; ) {
      try {
        const canMount = this.#deps.isolation === "mounts";
        this.#volumes = makeVolumes({ ...this.#deps, canMount }, this.#pod);
        return;
      } catch (error) {
        if (!(error instanceof NotYet)) throw error;
        const { message } = error;
        if (said !== message)
          this.#deps.event(this.#pod, { type: "Warning", reason: "FailedMount", message });
        said = error.message;
        this.#report();
        await delay(250, undefined, { signal: this.#stop.signal });
      }
    }
  }

  async #runInit(facts: ContainerFacts): Promise<void> {
    const always = textAt(this.#pod.spec, "restartPolicy") !== "Never";
    for (;;) {
      const ended = await this.#runOnce(facts, false);
      if (ended.exitCode === 0) return;
      if (!always) throw new InitFailed();
      await this.#backOff(facts, ended);
    }
  }

  async #runMain(facts: ContainerFacts): Promise<void> {
    const policy = textAt(this.#pod.spec, "restartPolicy") ?? "Always";
    for (;;) {
      const ended = await this.#runOnce(facts, true);
      if (this.#stop.signal.aborted || policy === "Never" || (policy === "OnFailure" && ended.exitCode === 0))
        return;
      await this.#backOff(facts, ended);
    }
  }

  /** Waits before the next try: not at all the first time, then 10 s, 20 s and so on up to five minutes. */
  async #backOff(facts: ContainerFacts, ended: Ended): Promise<void> {
    facts.last = ended;
    const seconds = facts.restarts === 0 ? 0 : Math.min(300, 10 * 2 ** (facts.restarts - 1));
    if (seconds > 0) {
      const message = `back-off ${seconds}s restarting failed container=${facts.name} pod=${this.#pod.metadata.name}`;
      facts.state = { is: "waiting", reason: "CrashLoopBackOff", message };
      this.#report();
      await delay(seconds * 1000, undefined, { signal: this.#stop.signal });
    }
    facts.restarts += 1;
  }

  async #runOnce(facts: ContainerFacts, main: boolean): Promise<Ended> {
    this.#stop.signal.throwIfAborted();
    const spec =
      [...listAt(this.#pod.spec, "initContainers"), ...listAt(this.#pod.spec, "containers")]
        .filter(isMap)
        .find((c) => textAt(c, "name") === facts.name) ?? {};
    const running = await this.#start(facts, spec);
    this.#running.set(facts.name, running);
    // Told to end while it started: nobody else would.
    if (this.#stop.signal.aborted) running.kill("SIGKILL");
    await running.mounted;
    facts.state = { is: "running", startedMs: running.startedMs };
    const over = new AbortController();
    const probe = main ? spec["readinessProbe"] : undefined;
    facts.ready = main && !isMap(probe);
    this.#tell(facts, main, "Created", `Created container: ${facts.name}`);
    this.#tell(facts, main, "Started", `Started container ${facts.name}`);
    this.#report();
    if (isMap(probe)) {
      const signal = AbortSignal.any([over.signal, this.#stop.signal]);
      watchReadiness(probe, running, this.#deps, signal, (ready) => {
        facts.ready = ready;
        this.#report();
      });
    }
    const ended = await running.done;
    over.abort();
    this.#running.delete(facts.name);
    facts.ready = !main && ended.exitCode === 0;
    facts.state = { is: "ended", ended };
    this.#report();
    return ended;
  }

  #tell(facts: ContainerFacts, main: boolean, reason: string, message: string): void {
    const fieldPath = `spec.${main ? "containers" : "initContainers"}{${facts.name}}`;
    this.#deps.event(this.#pod, { type: "Normal", reason, message, fieldPath });
  }

  /** Waits until everything that a container refers to is there, then starts it. */
  async #start(facts: ContainerFacts, spec: JsonMap): Promise<Running> {
    const { uid = "", name: podName } = this.#pod.metadata;
    for (;;) {
      try {
        const env = environmentOf(this.#deps.api, this.#pod, spec, { ...this.#deps.env, HOSTNAME: podName });
        const argv = [...listAt(spec, "command"), ...listAt(spec, "args")].map((word) =>
          expand(String(word as string), env),
        );
        if (listAt(spec, "command").length === 0) {
          throw new NotYet(
            "the container names no command: images are not pulled here, so their entry points are not known",
          );
        }
        const folder = join(this.#deps.podsDir, uid, "containers", facts.name);
        const log = new LogFile(logPath(this.#deps.podsDir, uid, facts.name, facts.restarts));
        this.logs.set(facts.name, log);
        return start(
          {
            argv,
            env: this.#deps.isolation === "none" ? { ...env, ...this.#volumeEnv() } : env,
            workingDir: textAt(spec, "workingDir") ?? "/",
            mounts: this.#mounts(spec),
            folder,
            terminationMessagePath: textAt(spec, "terminationMessagePath") ?? "/dev/termination-log",
            log,
          },
          this.#deps.isolation,
          this.#deps.processes,
        );
      } catch (error) {
        if (!(error instanceof NotYet)) throw error;
        facts.state = { is: "waiting", reason: "CreateContainerConfigError", message: error.message };
        this.#report();
        await delay(250, undefined, { signal: this.#stop.signal });
      }
    }
  }

  #mounts(spec: JsonMap): Mount[] {
    return listAt(spec, "volumeMounts").flatMap((mount) => {
      const source = this.#volumes.get(textAt(mount, "name") ?? "");
      const target = textAt(mount, "mountPath");
      if (source === undefined || target === undefined) return [];
      const sub = textAt(mount, "subPath") ?? "";
      const path = join(source, sub);
      if (sub !== "" && !existsSync(path)) mkdirSync(path, { recursive: true });
      return [{ source: path, target, readOnly: isMap(mount) && mount["readOnly"] === true }];
    });
  }

  /** Where mounts are forbidden, a command can still find its volumes by name. */
  #volumeEnv(): Record<string, string> {
    const entries = [...this.#volumes].map(([name, path]) => [
      `HEADWAY_VOLUME_${name.toUpperCase().replaceAll(/\W/g, "_")}`,
      path,
    ]);
    return Object.fromEntries(entries) as Record<string, string>;
  }

  /** Writes what is known to the pod's status, unless it says so already. */
  #report(): void {
    const { name, namespace = "", uid } = this.#pod.metadata;
    const pod = this.#deps.api.read("pods", namespace, name);
    if (!pod || pod.metadata.uid !== uid) return;
    const status = podStatus(pod, this.#inits, this.#mains, Date.now());
    if (same(status, pod.status)) return;
    this.#deps.api.update(
      this.#deps.api.resource("pods"),
      namespace,
      { ...pod, status },
      { subresource: "status" },
    );
  }
}

class InitFailed extends Error {}

function factsOf(pod: KubeObject, container: JsonMap): ContainerFacts {
  const name = textAt(container, "name") ?? "";
  return {
    name,
    image: textAt(container, "image") ?? "",
    state: {
      is: "waiting",
      reason: listAt(pod.spec, "initContainers").length > 0 ? "PodInitializing" : "ContainerCreating",
    },
    last: undefined,
    restarts: knownRestarts(pod, name).restarts,
    ready: false,
  };
}

/** Where the log of one run of a container is. */
export function logPath(podsDir: string, uid: string, container: string, restart: number): string {
  return join(podsDir, uid, "logs", container, `${restart}.log`);
}

/** How long a pod may take to end. */
export function graceOf(pod: KubeObject): number {
  return pod.metadata.deletionGracePeriodSeconds ?? numberAt(pod.spec, "terminationGracePeriodSeconds") ?? 30;
}
