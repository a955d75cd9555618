import { type Backup, includeExclude, parseGoDurationMs, passes, selects } from "../../api/index.ts";

/** What hooks need of a pod. */
export interface HookedPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
  };
  readonly spec?: { readonly containers?: readonly { readonly name: string }[] } | undefined;
  readonly status?: { readonly phase?: string } | undefined;
}

/** One command to run in a pod. */
export interface Hook {
  /** The name of the spec's hook, or `<from-annotation>`. */
  readonly name: string;
  readonly container: string;
  readonly command: readonly string[];
  /** True stops the pod from being stored. Unset means go on, whatever upstream's documentation says. */
  readonly fatal: boolean;
  readonly timeoutMs: number;
}

/** Before or after the pod is stored. */
export type HookPhase = "pre" | "post";

const defaultTimeoutMs = 30_000;

/** The hooks of a pod in one phase; an annotation replaces what the spec says. */
export function hooksOf(spec: Backup["spec"], pod: HookedPod, phase: HookPhase): Hook[] {
  if (pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed") return [];
  const annotated = fromAnnotations(pod, phase);
  if (annotated) return [annotated];
  const { name: _name, namespace = "", labels = {} } = pod.metadata;
  return (spec?.hooks?.resources ?? [])
    .filter((one) => passes(includeExclude(one.includedNamespaces, one.excludedNamespaces), namespace))
    .filter((one) => passes(includeExclude(one.includedResources, one.excludedResources), "pods"))
    .filter((one) => !one.labelSelector || selects(one.labelSelector, labels))
    .flatMap((one) =>
      (one[phase] ?? []).map(({ exec }) => ({
        name: one.name,
        container: exec.container || firstContainer(pod),
        command: exec.command,
        fatal: exec.onError === "Fail",
        timeoutMs: parseGoDurationMs(exec.timeout ?? "") || defaultTimeoutMs,
      })),
    );
}

function fromAnnotations(pod: HookedPod, phase: HookPhase): Hook | undefined {
  const annotations = pod.metadata.annotations ?? {};
  const read = (key: string) =>
    annotations[`${phase}.hook.backup.velero.io/${key}`] ??
    (phase === "pre" ? annotations[`hook.backup.velero.io/${key}`] : undefined);
  const command = commandOf(read("command") ?? "");
  if (command.length === 0) return undefined;
  return {
    name: "<from-annotation>",
    container: read("container") || firstContainer(pod),
    command,
    fatal: read("on-error") === "Fail",
    timeoutMs: parseGoDurationMs(read("timeout") ?? "") || defaultTimeoutMs,
  };
}

/** A JSON array of words, or one word. */
function commandOf(text: string): readonly string[] {
  if (text.trim() === "") return [];
  if (!text.trim().startsWith("[")) return [text];
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) ? words.map(String) : [text];
  } catch {
    return [text]; // upstream takes what is no JSON as one word
  }
}

function firstContainer(pod: HookedPod): string {
  return pod.spec?.containers?.[0]?.name ?? "";
}
