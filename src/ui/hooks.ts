import type { Backup, Restore } from "../api/index.ts";
import { counted } from "../progress/index.ts";

/** A command that a backup or a restore was asked to run in pods. */
export interface AskedHook {
  readonly name: string;
  readonly when: string;
  /** The pods that it is for. */
  readonly pods: string;
  /** Where in the pod. */
  readonly container: string;
  readonly command: string;
}

/** The hooks that stand in the spec, in the order in which they are tried. Those that pods carry as annotations are not there. */
export function askedHooks(run: Backup | Restore): readonly AskedHook[] {
  return run.kind === "Backup" ? backupHooks(run as Backup) : restoreHooks(run as Restore); // the kind says so
}

/** How the hooks went, as far as the run counts them; empty where there are none. */
export function hookCounts(run: Backup | Restore): string {
  const { hooksAttempted = 0, hooksFailed = 0 } = run.status?.hookStatus ?? {};
  if (hooksAttempted === 0) return "";
  return `${counted(hooksAttempted, "hook")} run, ${hooksFailed === 0 ? "none failed" : `${hooksFailed} failed`}`;
}

function backupHooks({ spec }: Backup): readonly AskedHook[] {
  return (spec?.hooks?.resources ?? []).flatMap((rule) => [
    ...(rule.pre ?? []).map(({ exec }) => asked(rule, "before the pod is stored", exec)),
    ...(rule.post ?? []).map(({ exec }) => asked(rule, "after the pod is stored", exec)),
  ]);
}

function restoreHooks({ spec }: Restore): readonly AskedHook[] {
  return (spec?.hooks?.resources ?? []).flatMap((rule) =>
    (rule.postHooks ?? []).flatMap(({ exec, init }) => [
      ...(init?.initContainers ?? []).map((one) =>
        asked(rule, "before the pod's own containers", {
          container: textOf(one["name"]) || "an init container",
          command: Array.isArray(one["command"]) ? one["command"].map(String) : [],
        }),
      ),
      ...(exec ? [asked(rule, "when the container runs", exec)] : []),
    ]),
  );
}

interface Rule {
  readonly name: string;
  readonly includedNamespaces?: readonly string[] | null;
  readonly excludedNamespaces?: readonly string[] | null;
  readonly labelSelector?: { readonly matchLabels?: Readonly<Record<string, string>> } | null;
}

interface Exec {
  readonly container?: string;
  readonly command: readonly string[];
}

function asked(rule: Rule, when: string, { container, command }: Exec): AskedHook {
  return {
    name: rule.name,
    when,
    pods: podsOf(rule),
    container: container ?? "the first container",
    command: command.join(" "),
  };
}

function podsOf({ includedNamespaces, excludedNamespaces, labelSelector }: Rule): string {
  const labels = Object.entries(labelSelector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const within = (includedNamespaces ?? []).filter((name) => name !== "*");
  return [
    labels.length > 0
      ? `pods with ${labels.join(", ")}`
      : labelSelector
        ? "pods with some labels"
        : "all pods",
    ...(within.length > 0 ? [`in ${within.join(", ")}`] : []),
    ...((excludedNamespaces ?? []).length > 0 ? [`not in ${excludedNamespaces?.join(", ")}`] : []),
  ].join(" ");
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
