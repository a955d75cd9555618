import { includeExclude, parseGoDurationMs, passes, type Restore, selects } from "../../api/index.ts";
import type { Item } from "./archive/item-json.ts";
import { isRecord, type Json, recordOf, recordsOf, textOf } from "./json.ts";

/** One command to run in a restored pod. */
export interface ExecHook {
  /** The name of the spec's hook, or `<from-annotation>`. */
  readonly name: string;
  readonly container: string;
  readonly command: readonly string[];
  /** True: a failure keeps the pod's further commands from running. */
  readonly stops: boolean;
  readonly execTimeoutMs: number;
  /** 0: as long as it takes. */
  readonly waitTimeoutMs: number;
  /** Wait for a ready container, not just a running one. */
  readonly waitForReady: boolean;
}

type Spec = NonNullable<Restore["spec"]>;
type Rule = NonNullable<NonNullable<Spec["hooks"]>["resources"]>[number];

const execTimeoutMs = 30_000;
const initPrefix = "init.hook.restore.velero.io/";
const postPrefix = "post.hook.restore.velero.io/";

/** The pod with the init containers of its hooks in front; an annotation replaces what the spec says. */
export function withInitHooks(pod: Item, spec: Spec, sourceNamespace: string, random: () => string): Item {
  const containers = initFromAnnotations(pod, random) ?? initFromSpec(pod, spec, sourceNamespace);
  if (containers.length === 0) return pod;
  const podSpec = recordOf(pod["spec"]);
  const names = new Set(containers.map(({ name }) => name));
  const own = recordsOf(podSpec["initContainers"]).filter(({ name }) => !names.has(name));
  return { ...pod, spec: { ...podSpec, initContainers: [...containers, ...own] } };
}

/** The commands to run in a pod once it is there; an annotation replaces what the spec says. */
export function execHooksOf(pod: Item, spec: Spec, sourceNamespace: string): readonly ExecHook[] {
  const annotated = execFromAnnotations(pod);
  if (annotated !== undefined) return [annotated];
  return rulesFor(pod, spec, sourceNamespace).flatMap((rule) =>
    (rule.postHooks ?? []).flatMap(({ exec }): ExecHook[] =>
      exec === undefined
        ? []
        : [
            {
              name: rule.name,
              container: exec.container || firstContainer(pod),
              command: exec.command,
              stops: exec.onError === "Fail",
              execTimeoutMs: parseGoDurationMs(exec.execTimeout ?? "") || execTimeoutMs,
              waitTimeoutMs: parseGoDurationMs(exec.waitTimeout ?? "") ?? 0,
              waitForReady: exec.waitForReady === true,
            },
          ],
    ),
  );
}

/** Where a pod carries how far its hooks are: `<uid of the restore>/<begun>/<ended>/<failed>`. */
export const hookAnnotation = "headway.dev/restore-hooks";

/** How far the hooks of a pod are, as counts from the first. */
export interface HookMark {
  readonly begun: number;
  readonly done: number;
  readonly failed: number;
}

/** What an earlier process of a restore wrote on a pod; nothing counts that another restore wrote. */
export function hookMark(pod: Item, restoreUid: string): HookMark {
  const [uid, ...numbers] = (pod.metadata.annotations?.[hookAnnotation] ?? "").split("/");
  const [begun = 0, done = 0, failed = 0] = numbers.map(Number);
  const usable =
    uid === restoreUid && [begun, done, failed].every((one) => Number.isSafeInteger(one) && one >= 0);
  return usable ? { begun, done: Math.min(begun, done), failed } : { begun: 0, done: 0, failed: 0 };
}

/** Whether a container of a pod can take a command, cannot any more, or not yet. */
export function containerState(pod: Item, container: string, ready: boolean): "ready" | "waiting" | "over" {
  const status = recordOf(pod["status"]);
  if (status["phase"] === "Succeeded" || status["phase"] === "Failed") return "over";
  const found = recordsOf(status["containerStatuses"]).find(({ name }) => name === container);
  if (found === undefined) return "waiting";
  if (ready) return found["ready"] === true ? "ready" : "waiting";
  return isRecord(recordOf(found["state"])["running"]) ? "ready" : "waiting";
}

function rulesFor(pod: Item, spec: Spec, sourceNamespace: string): readonly Rule[] {
  return (spec.hooks?.resources ?? []).filter(
    (rule) =>
      passes(includeExclude(rule.includedNamespaces, rule.excludedNamespaces), sourceNamespace) &&
      passes(includeExclude(rule.includedResources, rule.excludedResources), "pods") &&
      (!rule.labelSelector || selects(rule.labelSelector, pod.metadata.labels ?? {})),
  );
}

function initFromSpec(pod: Item, spec: Spec, sourceNamespace: string): readonly Json[] {
  return rulesFor(pod, spec, sourceNamespace).flatMap((rule) =>
    (rule.postHooks ?? []).flatMap(({ init }) => recordsOf(init?.initContainers)),
  );
}

function initFromAnnotations(pod: Item, random: () => string): readonly Json[] | undefined {
  const read = reader(pod, initPrefix);
  const image = read("container-image");
  const command = commandOf(read("command"));
  if (image === "" || command.length === 0) return undefined;
  return [{ name: read("container-name") || `velero-restore-init-${random()}`, image, command }];
}

function execFromAnnotations(pod: Item): ExecHook | undefined {
  const read = reader(pod, postPrefix);
  const command = commandOf(read("command"));
  if (command.length === 0) return undefined;
  return {
    name: "<from-annotation>",
    container: read("container") || firstContainer(pod),
    command,
    stops: read("on-error") === "Fail",
    execTimeoutMs: parseGoDurationMs(read("exec-timeout")) || execTimeoutMs,
    waitTimeoutMs: parseGoDurationMs(read("wait-timeout")) ?? 0,
    waitForReady: read("wait-for-ready") === "true",
  };
}

function reader(pod: Item, prefix: string): (name: string) => string {
  return (name) => pod.metadata.annotations?.[`${prefix}${name}`] ?? "";
}

/** A JSON list, or one word. */
function commandOf(text: string): readonly string[] {
  if (!text.startsWith("[")) return text === "" ? [] : [text];
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.map(String) : [text];
  } catch {
    return [text]; // what looks like a list and is none is a word with a bracket
  }
}

function firstContainer(pod: Item): string {
  return textOf(recordsOf(recordOf(pod["spec"])["containers"])[0]?.["name"]);
}
